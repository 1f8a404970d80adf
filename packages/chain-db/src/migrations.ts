import type { WholeMigration } from '@wrkz/sqlite';
import { createHashIndexes } from './hash-index/schema';
import { SCHEMA } from './schema';

/** The history of the schema: migration i leads to version i + 1. A released migration never changes. */
export const MIGRATIONS: readonly WholeMigration[] = [
  {
    version: 1,
    name: 'chain',
    up: (connection) => {
      connection.exec(SCHEMA);
      createHashIndexes(connection);
    },
  },
];
