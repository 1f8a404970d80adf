import type { Query } from './query';

export interface FoundTransactionsQuery {
  /** Hex ids. */
  readonly hashes: readonly string[];
}

/** Looking up one takes some microseconds. */
const LIGHT_HASHES = 2_000;
/** Ids from one look for the caller to the next. */
const STRIDE = 256;

/** Which of these transactions the main chain holds: the same ids, as a JSON array in the order asked. */
export const foundTransactions: Query<FoundTransactionsQuery> = {
  isHeavy: ({ hashes }) => hashes.length > LIGHT_HASHES,
  answer: ({ reader, throwIfGone }, { hashes }) =>
    reader.snapshot(() => {
      const found = hashes.filter((hex, i) => {
        if (i % STRIDE === 0) throwIfGone();
        return reader.hasTransaction(Buffer.from(hex, 'hex'));
      });
      return Buffer.from(JSON.stringify(found), 'latin1');
    }),
};
