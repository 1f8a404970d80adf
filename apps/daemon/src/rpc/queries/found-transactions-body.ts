import type { ChainReader } from '@wrkz/chain-db';

/** Which of these transactions (hex ids) the main chain holds: the same ids, as a JSON array in the order asked. */
export function foundTransactionsBody(reader: ChainReader, query: { hashes: readonly string[] }): string {
  return reader.snapshot(() =>
    JSON.stringify(query.hashes.filter((hex) => reader.hasTransaction(Buffer.from(hex, 'hex')))),
  );
}
