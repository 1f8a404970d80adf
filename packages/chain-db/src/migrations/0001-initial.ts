import { SCHEMA } from '../schema';
import type { Migration } from './index';

/** The first schema. When a second one comes, today's SQL moves here and `schema.ts` shows the newest. */
export const initial: Migration = {
  version: 1,
  name: 'initial',
  up: (connection) => connection.exec(SCHEMA),
};
