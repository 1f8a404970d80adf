import type { ChainReader } from '@wrkz/chain-db';
import {
  type Checkpoints,
  hardSizeLimit,
  mergeMiningCommits,
  minDifficultyAfter,
  nextDifficulty,
  runProofs,
} from '@wrkz/consensus';
import {
  MAX_PARENT_BLOCK_SIZE,
  type Network,
  type ParsedBlock,
  parseBlock,
  REORGANISATION_DEPTH,
} from '@wrkz/core-types';

/**
 * Min bytes of a transaction in the pool or in a block: version, unlock time and three counts in a byte
 * each, one input (36 bytes and a signature of 64), no output, no extra.
 */
const SMALLEST_TRANSACTION = 105;

/** Upper bound of the transactions in a block of this height (docs/protocol/blocks.md#hard-size). */
export function transactionsOfBlock(height: number): number {
  return Math.floor(hardSizeLimit(height) / SMALLEST_TRANSACTION);
}

/** Versions, id, timestamp, nonce and counts, in their longest form. */
const HEADER_BYTES = 128;

/** Upper bound of the bytes of a block at this height without its transactions: header, parent, coinbase, hashes. */
export function largestBlock(height: number): number {
  return HEADER_BYTES + MAX_PARENT_BLOCK_SIZE + hardSizeLimit(height) + transactionsOfBlock(height) * 32;
}

/**
 * The verdict on the proof of work of an announced block, before anything is looked up for it. `fails`: the proof is invalid,
 * and the sender can know that. `deep`: the block leaves the main chain too far below the tip to win.
 */
export type WorkVerdict = 'holds' | 'fails' | 'deep';

/** The height of a block, and the difficulty that it must meet. */
interface Place {
  readonly height: number;
  readonly difficulty: bigint;
}

/**
 * Checks the proof of work of announced blocks on a native thread, before the chain engine: the engine checks it last, and a
 * block without work must not cause lookups. A block on a side branch must meet a lower bound of its difficulty: otherwise anyone
 * could announce any number of blocks on a stored side block.
 */
export class AnnouncedWork {
  constructor(
    private readonly network: Network,
    private readonly checkpoints: Checkpoints,
    private readonly reader: Pick<
      ChainReader,
      'alternativeInfo' | 'heightOf' | 'height' | 'facts' | 'snapshot' | 'viewAt'
    >,
  ) {}

  /** @param bytes of a block that can be parsed and whose parent is known */
  async judge(bytes: Buffer): Promise<WorkVerdict> {
    const parsed = parseBlock(bytes);
    const place = this.reader.snapshot(() => this.placeOf(parsed.block.previousHash));
    if (typeof place === 'string') return place;
    return (await this.meets(parsed, place)) ? 'holds' : 'fails';
  }

  /**
   * The height of a block and the difficulty there. The caller holds a snapshot: a reorganisation between two reads could
   * put another branch below the block, and an honest block would be judged by the difficulty of that branch.
   */
  private placeOf(previousHash: Buffer): Place | 'holds' | 'deep' {
    const parent = this.reader.heightOf(previousHash);
    if (parent === undefined) return this.placeAside(previousHash);
    if (this.reader.height() - parent > REORGANISATION_DEPTH) return 'deep';
    const height = parent + 1;
    return this.checkpoints.covers(height) ? 'holds' : { height, difficulty: this.difficultyOf(height) };
  }

  private placeAside(previousHash: Buffer): Place | 'holds' {
    const parent = this.reader.alternativeInfo(previousHash)?.facts;
    if (parent === undefined || this.checkpoints.covers(parent.height + 1)) return 'holds';
    return { height: parent.height + 1, difficulty: minDifficultyAfter(this.network, parent) };
  }

  private async meets(parsed: ParsedBlock, { height, difficulty }: Place): Promise<boolean> {
    const { network } = this;
    const { blockVersion, powAlgorithm } = network.rulesAt(height);
    if (parsed.block.majorVersion !== blockVersion || !mergeMiningCommits(parsed, network)) return false;
    // At difficulty zero no block is valid; the engine returns the error.
    if (!network.checkProofOfWork || difficulty === 0n) return true;
    const input = parsed.powInput;
    const [holds] = await runProofs([
      { kind: 'pow', algorithm: powAlgorithm, input, difficulty, transaction: undefined },
    ]);
    return holds === true;
  }

  /** The difficulty depends on the blocks below only: a stored block of this height has the same. */
  private difficultyOf(height: number): bigint {
    const stored = this.reader.facts(height);
    return stored?.difficulty ?? nextDifficulty(this.network, height - 1, this.reader.viewAt(height - 1));
  }
}
