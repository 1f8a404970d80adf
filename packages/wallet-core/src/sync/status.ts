import { NodeFailure, type NodeFailureKind } from '@wrkz/client';
import type { Ledger } from '../ledger/ledger';
import type { ScanStart } from '../ledger/model';
import type { FetchOutcome, SyncGap } from './fetcher';

/** The reason why synchronization makes no progress. `message` is for the log and the operator. */
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

/** The sync position of a wallet. Heights are indexes. Heights of the node are 0 before its first response. */
export interface WalletSyncStatus {
  readonly walletHeight: number;
  readonly localHeight: number;
  readonly networkHeight: number;
  readonly peerCount: number;
  readonly difficulty: bigint;
  readonly liteStartHeight: number;
  /** Start of the scan: a height, or Unix seconds if the height is 0. */
  readonly scanStart: ScanStart;
  /** Whether a converted history is not confirmed by the chain yet (`isUnconfirmedHistory`). */
  readonly isConverting: boolean;
  readonly gap: SyncGap | undefined;
  readonly stall: SyncStall | undefined;
  /** Whether the wallet was at the node's tip in the last request. */
  readonly isAtTip: boolean;
  /** Whether the wallet receives new blocks from an event stream of the node. */
  readonly isFollowing: boolean;
  /** Number of blocks that were skipped since the start because they could not be scanned or applied. */
  readonly unreadableBlocks: number;
}

/**
 * Whether the height was copied from an old container and no block was applied since: it is the only height without a block
 * hash. Such a wallet is not synchronized at any height.
 */
export function isUnconfirmedHistory({ height, hash }: ReturnType<Ledger['position']>): boolean {
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
        `this wallet has scanned the chain up to ${String(gap.coveredTo)}, and the node serves no blocks below ` +
        `${String(gap.servesFrom)}: connect a node with the whole chain, or reset the wallet to that height`,
    };
  }
  if (result === 'behind') {
    return {
      code: 'nodeBehindWallet',
      message: `the node is at height ${String(localHeight)}, below this wallet at ${String(walletHeight)}: waiting for it`,
    };
  }
  return undefined;
}
