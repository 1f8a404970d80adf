import type { SyncGap } from './start-check';

/** Why a wallet does not come closer to the tip; a code for programs, a sentence for people. */
export interface SyncStall {
  readonly code:
    | 'nodeUnreachable'
    | 'nodeFailing'
    | 'nodeHostile'
    | 'foreignChain'
    | 'rateLimited'
    | 'nodeBehindWallet'
    | 'gap'
    | 'stopped';
  readonly message: string;
}

/** Where a wallet stands. Heights are indexes; those of the node are 0 until it first answered. */
export interface WalletSyncStatus {
  readonly walletHeight: number;
  readonly localHeight: number;
  readonly networkHeight: number;
  readonly peerCount: number;
  readonly difficulty: bigint;
  readonly liteStartHeight: number;
  readonly gap: SyncGap | undefined;
  readonly stall: SyncStall | undefined;
  /** Whether the last question found the wallet at the node's tip. */
  readonly isAtTip: boolean;
  /** Whether the node tells of new blocks by itself. */
  readonly isFollowing: boolean;
  /** Blocks that could not be read since the start, and were passed. */
  readonly unreadableBlocks: number;
}
