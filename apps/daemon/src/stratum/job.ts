import { sealParent, type Template } from '@wrkz/consensus';
import {
  type Block,
  encodeBlock,
  MINING_ALGORITHMS,
  powAlgorithmOf,
  powInput,
  powNonceOffset,
  type RawBlock,
} from '@wrkz/core-types';
import type { PowAlgorithm } from '@wrkz/crypto';
import { targetText } from './target';

export interface JobTerms {
  readonly id: string;
  /** What a share must meet. */
  readonly shareDifficulty: bigint;
}

/** A block to be mined, as one connection knows it. Its parent is sealed: only the nonce is still to be found. */
export class StratumJob {
  readonly id: string;
  readonly shareDifficulty: bigint;
  /** What a block must meet. */
  readonly difficulty: bigint;
  /** The index of the block, which is the count of those before it. */
  readonly height: number;
  readonly algorithm: PowAlgorithm;
  /** Nonces that were sent, whatever became of them. */
  readonly nonces = new Set<number>();
  private readonly block: Block;
  private readonly blob: Buffer;
  private readonly nonceOffset: number;

  /** @throws Error when the block cannot be written */
  constructor(
    private readonly template: Template,
    { id, shareDifficulty }: JobTerms,
  ) {
    this.id = id;
    this.shareDifficulty = shareDifficulty;
    this.difficulty = template.difficulty;
    this.height = template.height;
    this.block = sealParent(template.block);
    const algorithm = powAlgorithmOf(this.block.majorVersion);
    if (algorithm === undefined) throw new Error(`block version ${String(this.block.majorVersion)} is not known`);
    this.algorithm = algorithm;
    this.blob = powInput(this.block);
    this.nonceOffset = powNonceOffset(this.block);
  }

  /** The tip that it stands on. */
  get previousHash(): Buffer {
    return this.block.previousHash;
  }

  /** What is hashed for a nonce. @param nonce 4 bytes as they stand in the blob */
  dataWith(nonce: Buffer): Buffer {
    const data = Buffer.from(this.blob);
    nonce.copy(data, this.nonceOffset);
    return data;
  }

  /** The finished block. @throws Error when it cannot be written */
  blockWith(nonce: Buffer): RawBlock {
    const block = encodeBlock({ ...this.block, nonce: nonce.readUInt32LE() });
    return { block, transactions: this.template.transactions.map(({ bytes }) => bytes) };
  }

  /** As it goes to the miner. */
  describe(): Readonly<Record<string, unknown>> {
    return {
      blob: this.blob.toString('hex'),
      job_id: this.id,
      target: targetText(this.shareDifficulty),
      height: this.height,
      algo: MINING_ALGORITHMS[this.algorithm],
    };
  }
}
