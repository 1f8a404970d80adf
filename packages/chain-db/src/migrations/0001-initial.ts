import type { WholeMigration } from '@wrkz/sqlite';
import { createHashIndexes } from '../hash-index/schema';
import { SCHEMA } from '../schema';

/** The first schema. When a second one comes, today's SQL moves here and `schema.ts` shows the newest. */
export const initial: WholeMigration = {
  version: 1,
  name: 'initial',
  up: (connection) => {
    connection.exec(SCHEMA);
    createHashIndexes(connection);
  },
};
