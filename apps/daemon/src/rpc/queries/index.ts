import type { ChainReader } from '@wrkz/chain-db';
import type { Network } from '@wrkz/core-types';
import { foundTransactionsBody } from './found-transactions-body';
import { globalIndexesBody } from './global-indexes-body';
import { randomOutsBody, type RandomOutsQuery } from './random-outs-body';
import { rawBlocksBody, type RawBlocksQuery } from './raw-blocks-body';
import { walletSyncDataBody, type WalletSyncQuery } from './wallet-sync-data-body';

/** The reads that may take longer than the event loop allows; they run on reader threads and answer finished JSON. */
export interface QueryTable {
  rawBlocks: RawBlocksQuery;
  walletSyncData: WalletSyncQuery;
  globalIndexes: { start: number; end: number };
  randomOuts: RandomOutsQuery;
  findTransactions: { hashes: readonly string[] };
}

export type QueryName = keyof QueryTable;

/** Something that answers a query: inline in tests, on reader threads in the daemon. */
export interface QueryRunner {
  run<Name extends QueryName>(name: Name, query: QueryTable[Name]): Promise<string>;
}

const table: { [Name in QueryName]: (reader: ChainReader, network: Network, query: QueryTable[Name]) => string } = {
  rawBlocks: (reader, _network, query) => rawBlocksBody(reader, query),
  walletSyncData: (reader, _network, query) => walletSyncDataBody(reader, query),
  globalIndexes: (reader, _network, query) => globalIndexesBody(reader, query),
  randomOuts: (reader, network, query) => randomOutsBody(reader, network, query),
  findTransactions: (reader, _network, query) => foundTransactionsBody(reader, query),
};

/** Answers one query against `reader`. @throws RpcRefusal for what the query itself refuses. */
export function runQuery<Name extends QueryName>(
  reader: ChainReader,
  network: Network,
  name: Name,
  query: QueryTable[Name],
): string {
  return table[name](reader, network, query);
}
