import type { ChainReader } from '@wrkz/chain-db';
import { type Checkpoints, hardSizeLimit, mergeMiningCommits, nextDifficulty, runProofs } from '@wrkz/consensus';
import {
  MAX_PARENT_BLOCK_SIZE,
  type Network,
  type ParsedBlock,
  parseBlock,
  REORGANISATION_DEPTH,
} from '@wrkz/core-types';

/**
 * The bytes of the smallest transaction that the pool or a block takes: version, unlock time and three counts in a byte
 * each, one input (36 bytes and a signature of 64), no output, no extra.
 */
const SMALLEST_TRANSACTION = 105;

/** More transactions than that no block of this index can hold (docs/protocol/blocks.md#hard-size). */
export function transactionsOfBlock(height: number): number {
  return Math.floor(hardSizeLimit(height) / SMALLEST_TRANSACTION);
}

/** Versions, id, timestamp, nonce and counts, in their longest form. */
const HEADER_BYTES = 128;

/** The bytes that a block of this index has at most, without its transactions: header, parent, coinbase and their hashes. */
export function largestBlock(height: number): number {
  return HEADER_BYTES + MAX_PARENT_BLOCK_SIZE + hardSizeLimit(height) + transactionsOfBlock(height) * 32;
}

/**
 * What the work of an announced block is worth before anything is looked up for it. `fails`: nobody can have mined it, and
 * whoever sends it knows. `deep`: it leaves the main chain so far below the tip that it can never win.
 */
export type WorkVerdict = 'holds' | 'fails' | 'deep';

/** Where a block stands on the main chain, and what it must meet there. */
interface Place {
  readonly height: number;
  readonly difficulty: bigint;
}

/**
 * Checks the proof of work of blocks that peers announce, on a native thread. The chain engine checks it last, behind all
 * look-ups; this keeps a block that cost nothing from causing any. Blocks behind a side branch are let through: its
 * blocks had to be mined first.
 */
export class AnnouncedWork {
  constructor(
    private readonly network: Network,
    private readonly checkpoints: Checkpoints,
    private readonly reader: Pick<ChainReader, 'heightOf' | 'height' | 'facts' | 'snapshot' | 'viewAt'>,
  ) {}

  /** @param bytes of a block that can be parsed and whose parent is known */
  async judge(bytes: Buffer): Promise<WorkVerdict> {
    const parsed = parseBlock(bytes);
    const place = this.reader.snapshot(() => this.placeOf(parsed.block.previousHash));
    if (typeof place === 'string') return place;
    return (await this.meets(parsed, place)) ? 'holds' : 'fails';
  }

  /**
   * Where a block stands, and the difficulty there. The caller holds a snapshot: between two looks a reorganisation could put
   * another branch below it, and an honest block would be judged by that one's difficulty.
   */
  private placeOf(previousHash: Buffer): Place | 'holds' | 'deep' {
    const parent = this.reader.heightOf(previousHash);
    if (parent === undefined) return 'holds';
    if (this.reader.height() - parent > REORGANISATION_DEPTH) return 'deep';
    const height = parent + 1;
    return this.checkpoints.covers(height) ? 'holds' : { height, difficulty: this.difficultyOf(height) };
  }

  private async meets(parsed: ParsedBlock, { height, difficulty }: Place): Promise<boolean> {
    const { network } = this;
    const { blockVersion, powAlgorithm } = network.rulesAt(height);
    if (parsed.block.majorVersion !== blockVersion || !mergeMiningCommits(parsed, network)) return false;
    // At a difficulty of zero no block is possible; the engine says so in its own words.
    if (!network.checkProofOfWork || difficulty === 0n) return true;
    const input = parsed.powInput;
    const [holds] = await runProofs([
      { kind: 'pow', algorithm: powAlgorithm, input, difficulty, transaction: undefined },
    ]);
    return holds === true;
  }

  /** It follows from the blocks below alone, so the block that stands there already has the same. */
  private difficultyOf(height: number): bigint {
    const stored = this.reader.facts(height);
    return stored?.difficulty ?? nextDifficulty(this.network, height - 1, this.reader.viewAt(height - 1));
  }
}
