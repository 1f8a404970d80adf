import { NodeFailure, type NodeFailureKind } from '@wrkz/client';
import type { ScanStart } from '../ledger/model';
import type { FetchOutcome, SyncGap } from './fetcher';

/** Why the synchronization makes no progress. `message` is for the log and the operator. */
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

/** The position of a wallet. Heights are indexes; those of the node are 0 before its first response. */
export interface WalletSyncStatus {
  readonly walletHeight: number;
  readonly localHeight: number;
  readonly networkHeight: number;
  readonly peerCount: number;
  readonly difficulty: bigint;
  readonly liteStartHeight: number;
  /** Where the scan begins: a height, or unix seconds where the height is 0. */
  readonly scanStart: ScanStart;
  /** Whether no block of the chain has confirmed a converted history yet (`isUnconfirmedHistory`). */
  readonly isConverting: boolean;
  readonly gap: SyncGap | undefined;
  readonly stall: SyncStall | undefined;
  /** Whether the last request found the wallet at the node's tip. */
  readonly isAtTip: boolean;
  /** Whether the node publishes new blocks. */
  readonly isFollowing: boolean;
  /** Blocks that could not be read since the start and were skipped. */
  readonly unreadableBlocks: number;
}

/**
 * Whether a height was taken over from an old container and no block of the chain was applied since: a block hash belongs to
 * every other height. The wallet is not synchronized, whatever the height is.
 */
export function isUnconfirmedHistory({
  height,
  hash,
}: {
  readonly height: number;
  readonly hash: string | undefined;
}): boolean {
  return height > 0 && hash === undefined;
}

const CODES: Readonly<Record<NodeFailureKind, SyncStall['code']>> = {
  unreachable: 'nodeUnreachable',
  timeout: 'nodeUnreachable',
  rateLimited: 'rateLimited',
  refused: 'nodeFailing',
  failed: 'nodeFailing',
  malformed: 'nodeHostile',
  tooLarge: 'nodeHostile',
  foreignChain: 'foreignChain',
};

/** The stall after a step; undefined if the step made progress. */
export function stallOf(
  result: FetchOutcome | NodeFailure,
  gap: SyncGap | undefined,
  { walletHeight, localHeight }: Pick<WalletSyncStatus, 'walletHeight' | 'localHeight'>,
): SyncStall | undefined {
  if (result instanceof NodeFailure) return { code: CODES[result.kind], message: `the node ${result.message}` };
  if (result === 'gap' && gap !== undefined) {
    return {
      code: 'gap',
      message:
        `this wallet has read the chain up to ${String(gap.coveredTo)}, and the node serves nothing below ` +
        `${String(gap.servesFrom)}: connect a node that holds the whole chain, or reset the wallet to that height`,
    };
  }
  if (result === 'behind') {
    return {
      code: 'nodeBehindWallet',
      message: `the node is at ${String(localHeight)}, below this wallet at ${String(walletHeight)}: waiting for it`,
    };
  }
  return undefined;
}
