import { stratumApi } from '@wrkz/api';
import { type CoinbaseReceiver, sealParent, type Template, type TemplateBody } from '@wrkz/consensus';
import {
  type Block,
  encodeBlock,
  MAX_UINT64,
  MINING_ALGORITHMS,
  powAlgorithmOf,
  powInput,
  powNonceOffset,
  type RawBlock,
} from '@wrkz/core-types';
import type { PowAlgorithm } from '@wrkz/crypto';
import { errorText } from '@wrkz/service-kit';
import type { AddBlockResult } from '../chain/results';
import { EXTRA_NONCE_SIZE, StratumRefusal } from './limits';

/** The interface of the node that stratum uses. */
export interface StratumNode {
  tip(): { readonly hash: Buffer; readonly height: number };
  /** The shared part of all templates on the current tip. @throws RangeError when no block can follow it */
  body(): Promise<TemplateBody>;
  /** @throws RangeError for keys that are not points of the curve */
  complete(body: TemplateBody, receiver: CoinbaseReceiver, extraNonce: Buffer): Template;
  add(block: RawBlock): Promise<AddBlockResult>;
  /** Whether the node is synchronized, so that a new block extends the chain of the network. */
  isReady(): boolean;
  /** Highest block count reported by peers, or our own if it is higher. */
  networkHeight(): number;
  /** Calls the listener when the tip changes. @returns a function that ends the subscription */
  onTip(listener: () => void): () => void;
}

/**
 * The target: upper bound of the last 8 bytes of a hash, as 16 hex digits, little-endian
 * (docs/protocol/stratum.md#jobs).
 */
export function targetText(difficulty: bigint): string {
  const bytes = Buffer.alloc(8);
  bytes.writeBigUInt64LE(difficulty > 1n ? MAX_UINT64 / difficulty : MAX_UINT64);
  return bytes.toString('hex');
}

/** A block to be mined by one connection. Its parent block is sealed: only the nonce is missing. */
export class StratumJob {
  /** Difficulty of the block. */
  readonly difficulty: bigint;
  /** Index of the block. */
  readonly height: number;
  readonly algorithm: PowAlgorithm;
  /** All submitted nonces, valid or not. */
  readonly nonces = new Set<number>();
  private readonly block: Block;
  private readonly blob: Buffer;
  private readonly nonceOffset: number;

  /** @param shareDifficulty min difficulty of a share @throws Error when the block cannot be serialized */
  constructor(
    readonly id: string,
    private readonly template: Template,
    readonly shareDifficulty: bigint,
  ) {
    this.difficulty = template.difficulty;
    this.height = template.height;
    this.block = sealParent(template.block);
    const algorithm = powAlgorithmOf(this.block.majorVersion);
    if (algorithm === undefined) throw new Error(`block version ${String(this.block.majorVersion)} is unknown`);
    this.algorithm = algorithm;
    this.blob = powInput(this.block);
    this.nonceOffset = powNonceOffset(this.block);
  }

  /** The tip that the block extends. */
  get previousHash(): Buffer {
    return this.block.previousHash;
  }

  /** Input of the proof of work. @param nonce 4 bytes as in the blob */
  dataWith(nonce: Buffer): Buffer {
    const data = Buffer.from(this.blob);
    nonce.copy(data, this.nonceOffset);
    return data;
  }

  /** The block with its nonce. @throws Error when it cannot be serialized */
  blockWith(nonce: Buffer): RawBlock {
    const block = encodeBlock({ ...this.block, nonce: nonce.readUInt32LE() });
    return { block, transactions: this.template.transactions.map(({ bytes }) => bytes) };
  }

  /** The job as it is sent to the miner. */
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

const { noBlob, noTemplate, zeroDifficulty } = stratumApi.stratumErrors;

/** Max age of a template body while the tip is unchanged: then newer pool transactions are selected. */
const MAX_BODY_AGE_MS = 2_000;
/** Max attempts to build a template body if the tip changes meanwhile. */
const MAX_ATTEMPTS = 5;

interface CachedBody {
  readonly tip: Buffer;
  readonly at: number;
  readonly body: Promise<TemplateBody>;
}

/**
 * Makes the jobs of all connections. Their shared part is built once per tip, so many logins cost little more than one.
 * Each job has a unique extra nonce and a unique transaction key, so no two miners search the same space.
 */
export class JobMaker {
  private cached: CachedBody | undefined;
  private ids = 0n;
  /** Jobs with an id up to this one are outdated. */
  private lastOutdated = 0n;

  constructor(
    private readonly node: Pick<StratumNode, 'tip' | 'body' | 'complete'>,
    /** Monotonic milliseconds. */
    private readonly now: () => number,
  ) {}

  /** One counter for session ids, job ids and extra nonces. */
  nextId(): bigint {
    return ++this.ids;
  }

  /** Whether a job extends the tip and was not invalidated. */
  isCurrent({ id, previousHash }: StratumJob): boolean {
    return BigInt(id) > this.lastOutdated && previousHash.equals(this.node.tip().hash);
  }

  /** Invalidates all jobs: a block was rejected because of a transaction that other jobs may also contain. */
  invalidate(): void {
    this.cached = undefined;
    this.lastOutdated = this.ids;
  }

  /**
   * @param shareDifficulty share difficulty for a block difficulty
   * @throws StratumRefusal when no job can be made
   */
  async make(receiver: CoinbaseReceiver, shareDifficulty: (difficulty: bigint) => bigint): Promise<StratumJob> {
    const template = await this.template(receiver);
    if (template.difficulty === 0n) throw new StratumRefusal(zeroDifficulty);
    try {
      return new StratumJob(this.nextId().toString(), template, shareDifficulty(template.difficulty));
    } catch (error) {
      throw new StratumRefusal(noBlob, { reason: errorText(error) });
    }
  }

  private async template(receiver: CoinbaseReceiver): Promise<Template> {
    const extraNonce = Buffer.alloc(EXTRA_NONCE_SIZE);
    extraNonce.writeBigUInt64LE(this.nextId());
    try {
      return this.node.complete(await this.body(), receiver, extraNonce);
    } catch (error) {
      throw new StratumRefusal(noTemplate, { reason: errorText(error) });
    }
  }

  private async body(): Promise<TemplateBody> {
    for (let tries = 1; ; tries++) {
      const body = await this.sharedBody();
      if (body.header.previousHash.equals(this.node.tip().hash) || tries === MAX_ATTEMPTS) return body;
    }
  }

  private async sharedBody(): Promise<TemplateBody> {
    const tip = this.node.tip().hash;
    if (this.cached === undefined || !this.cached.tip.equals(tip) || this.now() - this.cached.at > MAX_BODY_AGE_MS) {
      this.cached = { tip, at: this.now(), body: this.node.body() };
    }
    const { cached } = this;
    try {
      return await cached.body;
    } catch (error) {
      if (this.cached === cached) this.cached = undefined;
      throw error;
    }
  }
}
