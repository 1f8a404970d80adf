import type { NodeList } from '@wrkz/client';
import type { Network } from '@wrkz/core-types';
import type { ServedWallet } from '@wrkz/wallet-core';
import type { IdempotentRequests } from '@wrkz/wallet-server';
import type { BlockHashes } from './parts/block-hashes';
import type { DelayedDesk } from './parts/delayed-desk';
import type { DetailsKeeper } from './parts/details-keeper';
import type { TransactionAnnouncer } from './parts/announcer';
import type { PoolWatch } from './parts/pool-watch';

/** What the methods work with. */
export interface WalletRpcContext extends ServedWallet {
  readonly network: Network;
  readonly nodes: NodeList;
  /** The container's own folder, which exports stay in. */
  readonly directory: string;
  readonly details: DetailsKeeper;
  readonly delayed: DelayedDesk;
  readonly pool: PoolWatch;
  readonly blockHashes: BlockHashes;
  readonly announcer: TransactionAnnouncer;
  readonly keyed: IdempotentRequests;
  /** Unix milliseconds. */
  readonly now: () => number;
}
