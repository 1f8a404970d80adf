import { type CoinbaseReceiver, sealParent, type Template } from '@wrkz/consensus';
import { type Block, encodeBlock, type Network, powInput, powNonceOffset } from '@wrkz/core-types';
import { searchNonce } from '@wrkz/crypto';
import { Mutex } from '@wrkz/service-kit';
import { type AddBlockResult, isAccepted } from '../chain/results';
import type { Miner } from './miner';

export interface GenerateRequest {
  readonly address: CoinbaseReceiver;
  /** 1 to 1000. */
  readonly count: number;
  /** Unix seconds of the first block. */
  readonly timestamp: number;
  /** Seconds between two blocks. */
  readonly spacing: number;
}

export interface Generated {
  /** Index of the last block. */
  readonly height: number;
  readonly hashes: Buffer[];
}

const MAX_COUNT = 1000;
/** Attempts at one block: another miner may change the tip meanwhile. */
const MAX_ATTEMPTS = 20;

/** Mines blocks immediately, on networks without real proof of work. One request at a time; the others wait. */
export class BlockGenerator {
  private readonly queue = new Mutex();

  constructor(
    private readonly network: Network,
    private readonly miner: Miner,
    /** Unix seconds. */
    private readonly now: () => number,
    private readonly signal: AbortSignal,
  ) {}

  /**
   * Builds each block with transactions of the pool, seals it, mines it if the network checks the proof of work, and submits it.
   * A timestamp too far in the future is lowered to the latest that a node accepts.
   * @throws Error if a block is rejected, RangeError for an invalid request
   */
  generate(request: GenerateRequest): Promise<Generated> {
    const { network } = this;
    if (!network.allowsGeneratedBlocks)
      return Promise.reject(new Error(`${network.name} blocks are mined, not generated`));
    if (!Number.isInteger(request.count) || request.count < 1 || request.count > MAX_COUNT) {
      return Promise.reject(new RangeError(`count must be between 1 and ${String(MAX_COUNT)}`));
    }
    return this.queue.run(() => this.mineAll(request));
  }

  private async mineAll({ address, count, timestamp, spacing }: GenerateRequest): Promise<Generated> {
    const hashes: Buffer[] = [];
    let height = 0;
    for (let i = 0; i < count; i++) {
      const { hash, height: own } = await this.mineOne(address, timestamp + i * spacing);
      if (hash === undefined || own === undefined) throw new Error('a generated block is not on the main chain');
      hashes.push(hash);
      height = own;
    }
    return { height, hashes };
  }

  private async mineOne(address: CoinbaseReceiver, timestamp: number): Promise<AddBlockResult> {
    for (let attempts = 0; ; attempts++) {
      this.signal.throwIfAborted();
      const template = await this.miner.build(address, Buffer.alloc(0), timestamp);
      const latest = this.now() + this.network.rulesAt(template.height).futureTimeLimit;
      const block = await this.work(lowered(template.block, latest), template);
      const result = await this.miner.add({
        block: encodeBlock(block),
        transactions: template.transactions.map((transaction) => transaction.bytes),
      });
      // The block is on a side branch or orphaned: another miner was faster.
      if (result.code === 'ADDED_TO_MAIN') return result;
      if (!isAccepted(result) && result.code !== 'REJECTED_AS_ORPHANED') throw new Error(result.message);
      if (attempts >= MAX_ATTEMPTS) throw new Error(`another block was first ${String(MAX_ATTEMPTS)} times in a row`);
    }
  }

  private async work(unsealed: Block, { height, difficulty }: Template): Promise<Block> {
    const block = sealParent(unsealed);
    if (!this.network.checkProofOfWork) return block;
    const found = await searchNonce({
      algorithm: this.network.rulesAt(height).powAlgorithm,
      data: powInput(block),
      nonceOffset: powNonceOffset(block),
      nonceSize: 4,
      difficulty,
      signal: this.signal,
    });
    if (found === null) throw new Error('no nonce meets the difficulty');
    return { ...block, nonce: Number(found.nonce) };
  }
}

function lowered(block: Block, latest: number): Block {
  return block.timestamp <= BigInt(latest) ? block : { ...block, timestamp: BigInt(latest) };
}
