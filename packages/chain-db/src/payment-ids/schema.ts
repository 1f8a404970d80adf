/**
 * Uses of plain payment ids in chain order: each row says that transaction `transaction_id` carries `payment_id`, and that it
 * is use number `use` of it, counted from 0. Ids are dense from 0; among them transaction ids rise. So writing is appending,
 * a rewind a delete by range, and nothing has to be written anew when an id is used again.
 *
 * They are found through the hash look-ups, by payment id and number of the use (use-hash.ts): how often an id was used is a
 * search for the last number, and any part of its uses can be read without those before it.
 */
export const PAYMENT_ID_SCHEMA = `
CREATE TABLE payment_ids (
  id INTEGER PRIMARY KEY,
  payment_id BLOB NOT NULL,
  use INTEGER NOT NULL,
  transaction_id INTEGER NOT NULL
) STRICT;
`;

export const PAYMENT_ID_TABLES = ['payment_ids'] as const;
