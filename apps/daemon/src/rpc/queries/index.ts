import type { ChainReader } from '@wrkz/chain-db';
import type { Network } from '@wrkz/core-types';
import type { RouteRequest } from '@wrkz/service-kit';
import { type DetailedBlocksQuery, detailedBlocks } from './detailed-blocks';
import * as explorer from './explorer';
import * as outputs from './outputs';
import type { Query } from './query';
import { type BlockRangeQuery, liteBlocks } from './query-blocks';
import * as transactions from './transactions';
import { type RawBlocksQuery, rawBlocks, walletSyncData, type WalletSyncQuery } from './wallet-sync';

/** Parameters of the queries: reads that may take too long for the event loop. They run on reader threads. */
export interface QueryTable {
  rawBlocks: RawBlocksQuery;
  walletSyncData: WalletSyncQuery;
  globalIndexes: outputs.GlobalIndexesQuery;
  randomOuts: outputs.RandomOutsQuery;
  findTransactions: transactions.FindTransactionsQuery;
  rulesDigest: explorer.RulesDigestQuery;
  blocksList: explorer.BlocksListQuery;
  explorerBlock: explorer.ExplorerBlockQuery;
  explorerTransaction: explorer.ExplorerTransactionQuery;
  paymentIdTransactions: transactions.PaymentIdQuery;
  queryBlocksLite: BlockRangeQuery;
  queryBlocksDetailed: DetailedBlocksQuery;
  outputIndexes: outputs.OutputIndexesQuery;
  poolChanges: transactions.PoolChangesQuery;
}

export type QueryName = keyof QueryTable;

/** The client of a query: its address, and a signal that fires when it leaves. */
export type QueryCaller = Pick<RouteRequest, 'client' | 'gone'>;

/** Runs queries: the reader threads, the cache in front of them, or a test. Resolves with serialized JSON. */
export interface QueryRunner {
  run<Name extends QueryName>(name: Name, query: QueryTable[Name], caller: QueryCaller): Promise<Buffer>;
}

const table: { readonly [Name in QueryName]: Query<QueryTable[Name]> } = {
  rawBlocks,
  walletSyncData,
  globalIndexes: outputs.globalIndexes,
  randomOuts: outputs.randomOuts,
  findTransactions: transactions.findTransactions,
  rulesDigest: explorer.rulesDigestQuery,
  blocksList: explorer.blocksList,
  explorerBlock: explorer.explorerBlock,
  explorerTransaction: explorer.explorerTransaction,
  paymentIdTransactions: transactions.paymentIdTransactions,
  queryBlocksLite: liteBlocks,
  queryBlocksDetailed: detailedBlocks,
  outputIndexes: outputs.outputIndexes,
  poolChanges: transactions.poolChanges,
};

export const QUERY_NAMES = Object.keys(table) as readonly QueryName[];

/** Whether a query may occupy a thread for more than about 10 ms. */
export function isHeavy<Name extends QueryName>(name: Name, query: QueryTable[Name]): boolean {
  return table[name].isHeavy(query);
}

/** Runs one query on `reader`. @throws RpcRefusal */
export function runQuery<Name extends QueryName>(
  reader: ChainReader,
  network: Network,
  name: Name,
  query: QueryTable[Name],
  throwIfCancelled: () => void = () => undefined,
): Buffer {
  return table[name].run({ reader, network, throwIfCancelled }, query);
}
