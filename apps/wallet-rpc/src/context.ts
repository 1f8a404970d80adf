import type { NodeList } from '@wrkz/client';
import type { Network } from '@wrkz/core-types';
import type { Wallet } from '@wrkz/wallet-core';
import type { IdempotentRequests } from '@wrkz/wallet-server';
import type { DelayedTransactionQueue } from './delayed-transactions';
import type { TransactionDetailsCache } from './transaction-details';
import type { TransactionNotifier } from './transaction-notifier';
import type { PoolWatcher } from './pool-watcher';

export interface WalletRpcContext {
  readonly wallet: Wallet;
  readonly network: Network;
  readonly nodes: NodeList;
  /** The folder of the container. Exports can only be written there. */
  readonly directory: string;
  readonly details: TransactionDetailsCache;
  readonly delayed: DelayedTransactionQueue;
  readonly pool: PoolWatcher;
  /** Max block hashes per response, because each is requested from the node. */
  readonly maxHashes: number;
  readonly notifier: TransactionNotifier;
  readonly keyed: IdempotentRequests;
  /** Unix milliseconds. */
  readonly now: () => number;
}
