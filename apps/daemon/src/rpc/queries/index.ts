import type { ChainReader } from '@wrkz/chain-db';
import type { Network } from '@wrkz/core-types';
import type { RouteRequest } from '@wrkz/service-kit';
import { detailedBlocks } from './detailed-blocks';
import * as explorer from './explorer';
import * as outputs from './outputs';
import type { Query } from './query';
import { liteBlocks } from './query-blocks';
import * as transactions from './transactions';
import { rawBlocks, walletSyncData } from './wallet-sync';

/** The queries: reads that may take too long for the event loop. They run on reader threads. */
const table = {
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

export type QueryName = keyof typeof table;

/** The parameters of each query. */
export type QueryTable = {
  [Name in QueryName]: (typeof table)[Name] extends Query<infer Parameters> ? Parameters : never;
};

const queries: { readonly [Name in QueryName]: Query<QueryTable[Name]> } = table;

/** The client of a query: its address, and a signal that fires when it leaves. */
export type QueryCaller = Pick<RouteRequest, 'client' | 'gone'>;

/** Runs queries: the reader threads, the cache in front of them, or a test. Resolves with serialized JSON. */
export interface QueryRunner {
  run<Name extends QueryName>(name: Name, query: QueryTable[Name], caller: QueryCaller): Promise<Buffer>;
}

export const QUERY_NAMES = Object.keys(table) as readonly QueryName[];

/** Whether a query may occupy a thread for more than about 10 ms. */
export function isHeavy<Name extends QueryName>(name: Name, query: QueryTable[Name]): boolean {
  return queries[name].isHeavy(query);
}

/** Runs one query on `reader`. @throws RpcRefusal */
export function runQuery<Name extends QueryName>(
  reader: ChainReader,
  network: Network,
  name: Name,
  query: QueryTable[Name],
  throwIfCancelled: () => void = () => undefined,
): Buffer {
  return queries[name].run({ reader, network, throwIfCancelled }, query);
}
