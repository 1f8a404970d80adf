import type { ChainReader } from '@wrkz/chain-db';

/** The body of `/get_global_indexes_for_range` for indexes [start, end): one entry a transaction, coinbase first. */
export function globalIndexesBody(reader: ChainReader, query: { start: number; end: number }): string {
  const entries = reader
    .globalIndexesRange(query.start, query.end)
    .map(({ hash, indexes }) => `{"key":"${hash.toString('hex')}","value":[${indexes.join(',')}]}`);
  return `{"indexes":[${entries.join(',')}],"status":"OK"}`;
}
