import { NodeFailure, type NodeFailureKind } from '@wrkz/client';
import type { SyncGap } from './fetch-plan';
import type { FetchOutcome } from './fetcher';

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

/** What holds a wallet up after a step; undefined when nothing does. */
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
      message: `the node stands at ${String(localHeight)}, below this wallet at ${String(walletHeight)}, and is waited for`,
    };
  }
  return undefined;
}

/** What is told of a turn that is deeper than nodes follow: most likely the node is of another network. */
export function foreignText(height: number, from: number): string {
  return (
    `the node's chain leaves that of this wallet at block ${String(height)}, ${String(from - height + 1)} blocks back, and is ` +
    'read from there: is it a node of the same network?'
  );
}

/** How long a kind of stall is not told of again: a node that comes and goes must not fill a log. */
const SILENCE_MS = 600_000;

/** Tells people of what holds a wallet up when it begins, each kind once in ten minutes. */
export class StallNews {
  readonly #toldAt = new Map<SyncStall['code'], number>();

  constructor(
    private readonly tell: (text: string) => void,
    private readonly now: () => number = () => performance.now(),
  ) {}

  /** Of each step's outcome, as long as it lasts. */
  note(stall: SyncStall | undefined): void {
    if (stall === undefined) return;
    const at = this.#toldAt.get(stall.code);
    if (at !== undefined && this.now() - at < SILENCE_MS) return;
    this.#toldAt.set(stall.code, this.now());
    this.tell(`the wallet comes no closer to the tip: ${stall.message}`);
  }
}
