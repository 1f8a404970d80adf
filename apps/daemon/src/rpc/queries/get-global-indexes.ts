import type { ChainReader } from '@wrkz/chain-db';

/** The body of `/get_global_indexes_for_range` for indexes [start, end): one entry a transaction, coinbase first. */
export function getGlobalIndexes(reader: ChainReader, query: { start: number; end: number }): string {
  return reader.snapshot(() => {
    const end = Math.min(query.end, reader.tip().height + 1);
    const indexes: string[] = [];
    for (let height = query.start; height < end; height++) {
      for (const entry of reader.globalIndexes(height)) {
        indexes.push(`{"key":"${entry.hash.toString('hex')}","value":[${entry.indexes.join(',')}]}`);
      }
    }
    return `{"indexes":[${indexes.join(',')}],"status":"OK"}`;
  });
}
