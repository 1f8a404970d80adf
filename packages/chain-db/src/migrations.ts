import type { Migration } from '@wrkz/sqlite';
import { createHashIndexes } from './hash-index/schema';
import { SCHEMA } from './schema';

/** The history of the schema: migration i leads to version i + 1. A released migration never changes. */
export const MIGRATIONS: readonly Migration[] = [
  (connection) => {
    connection.exec(SCHEMA);
    createHashIndexes(connection);
  },
  // Filled while the node is idle (modes/rules-digest.ts).
  (connection) =>
    void connection.exec('CREATE TABLE rules_digests (height INTEGER PRIMARY KEY, digest BLOB NOT NULL) STRICT'),
];
