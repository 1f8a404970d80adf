import type { ChainReader } from '@wrkz/chain-db';
import type { Network } from '@wrkz/core-types';
import type { RouteRequest } from '@wrkz/service-kit';
import type { BlockRangeQuery } from './block-range';
import { blocksList, type BlocksListQuery } from './blocks-list';
import { explorerBlockQuery, type ExplorerBlockQuery } from './explorer-block';
import { explorerTransactionQuery, type ExplorerTransactionQuery } from './explorer-transaction';
import { foundTransactions, type FoundTransactionsQuery } from './found-transactions';
import { globalIndexes, type GlobalIndexesQuery } from './global-indexes';
import { outputIndexes, type OutputIndexesQuery } from './output-indexes';
import { poolChanges, type PoolChangesQuery } from './pool-changes';
import { paymentIdTransactions, type PaymentIdQuery } from './payment-id-transactions';
import type { Query } from './query';
import { blocksDetailedQuery, type QueryBlocksDetailedQuery } from './query-blocks-detailed';
import { blocksLiteQuery } from './query-blocks-lite';
import { randomOuts, type RandomOutsQuery } from './random-outs';
import { rawBlocks, type RawBlocksQuery } from './raw-blocks';
import { walletSyncData, type WalletSyncQuery } from './wallet-sync-data';

/** The reads that may take longer than the event loop allows; they run on reader threads and answer finished JSON. */
export interface QueryTable {
  rawBlocks: RawBlocksQuery;
  walletSyncData: WalletSyncQuery;
  globalIndexes: GlobalIndexesQuery;
  randomOuts: RandomOutsQuery;
  findTransactions: FoundTransactionsQuery;
  blocksList: BlocksListQuery;
  explorerBlock: ExplorerBlockQuery;
  explorerTransaction: ExplorerTransactionQuery;
  paymentIdTransactions: PaymentIdQuery;
  queryBlocksLite: BlockRangeQuery;
  queryBlocksDetailed: QueryBlocksDetailedQuery;
  outputIndexes: OutputIndexesQuery;
  poolChanges: PoolChangesQuery;
}

export type QueryName = keyof QueryTable;

/** Who waits for an answer; every request is one. */
export type QueryCaller = Pick<RouteRequest, 'client' | 'gone'>;

/** Something that answers a query: inline in tests, on reader threads in the daemon. */
export interface QueryRunner {
  run<Name extends QueryName>(name: Name, query: QueryTable[Name], caller: QueryCaller): Promise<Buffer>;
}

const table: { readonly [Name in QueryName]: Query<QueryTable[Name]> } = {
  rawBlocks,
  walletSyncData,
  globalIndexes,
  randomOuts,
  findTransactions: foundTransactions,
  blocksList,
  explorerBlock: explorerBlockQuery,
  explorerTransaction: explorerTransactionQuery,
  paymentIdTransactions,
  queryBlocksLite: blocksLiteQuery,
  queryBlocksDetailed: blocksDetailedQuery,
  outputIndexes,
  poolChanges,
};

export const QUERY_NAMES = Object.keys(table) as readonly QueryName[];

/** Whether it may hold a thread for long. */
export function isHeavy<Name extends QueryName>(name: Name, query: QueryTable[Name]): boolean {
  return table[name].isHeavy(query);
}

/** Answers one query against `reader`. @throws RpcRefusal for what the query itself refuses */
export function runQuery<Name extends QueryName>(
  reader: ChainReader,
  network: Network,
  name: Name,
  query: QueryTable[Name],
  throwIfGone: () => void = () => undefined,
): Buffer {
  return table[name].answer({ reader, network, throwIfGone }, query);
}
