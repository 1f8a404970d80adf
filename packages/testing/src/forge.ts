import {
  BranchView,
  buildTemplate,
  type ChainView,
  Checkpoints,
  type CoinbaseReceiver,
  sealParent,
  stageBlock,
} from '@wrkz/consensus';
import {
  type Block,
  encodeBlock,
  type Network,
  parseBlock,
  parseTransaction,
  powInput,
  powNonceOffset,
} from '@wrkz/core-types';
import type { RawBlock } from '@wrkz/core-types';
import { generateKeyPair, searchNonce } from '@wrkz/crypto';

export interface ForgeOptions {
  readonly network: Network;
  /** Unix seconds of the first block; each next one is `spacing` later. */
  readonly timestamp: number;
  readonly spacing?: number;
  readonly receiver?: CoinbaseReceiver;
  /** Reserved bytes of every coinbase, so that two branches from one block differ. */
  readonly extraNonce?: Buffer;
  /** Checkpoints of the nodes that receive the blocks; none by default. */
  readonly checkpoints?: Checkpoints;
}

/**
 * Mines a branch on any block of a chain, outside of the nodes, which do not receive the blocks until a test sends them.
 */
export class Forge {
  readonly view: BranchView;
  private timestamp: number;

  /** @param base the chain up to the block to mine on */
  constructor(
    base: ChainView,
    private readonly options: ForgeOptions,
  ) {
    this.view = new BranchView(base);
    this.timestamp = options.timestamp;
  }

  /** The next block of the branch, with these serialized transactions, which are not checked against the rules of the pool. */
  async next(transactions: readonly Buffer[] = []): Promise<RawBlock> {
    const { network, receiver = STRANGER, extraNonce = Buffer.alloc(0), spacing = 60 } = this.options;
    const parsed = transactions.map((bytes) => parseTransaction(bytes));
    const template = await buildTemplate({
      network,
      view: this.view,
      now: this.timestamp,
      receiver,
      transactionKeys: generateKeyPair(),
      extraNonce,
      candidates: parsed,
    });
    if (template.refused[0] !== undefined) throw new Error(`forged: ${template.refused[0].failure.message}`);
    const block = await this.work(sealParent(template.block), template.difficulty);
    const raw = { block: encodeBlock(block), transactions: template.transactions.map(({ bytes }) => bytes) };
    const staged = stageBlock(parseBlock(raw.block), template.transactions, {
      network,
      view: this.view,
      now: this.timestamp,
      checkpoints: this.options.checkpoints ?? Checkpoints.none,
    });
    if (staged.failure !== undefined) throw new Error(`forged: ${staged.failure.message}`);
    this.view.push(staged);
    this.timestamp += spacing;
    return raw;
  }

  async many(count: number): Promise<RawBlock[]> {
    const blocks: RawBlock[] = [];
    for (let i = 0; i < count; i++) blocks.push(await this.next());
    return blocks;
  }

  private async work(block: Block, difficulty: bigint): Promise<Block> {
    const { network } = this.options;
    if (!network.checkProofOfWork) return block;
    const found = await searchNonce({
      algorithm: network.rulesAt(this.view.height + 1).powAlgorithm,
      data: powInput(block),
      nonceOffset: powNonceOffset(block),
      nonceSize: 4,
      difficulty,
    });
    if (found === null) throw new Error('no nonce meets the difficulty');
    return { ...block, nonce: Number(found.nonce) };
  }
}

/** An address whose keys no test has. */
const STRANGER: CoinbaseReceiver = {
  spendPublic: generateKeyPair().publicKey,
  viewPublic: generateKeyPair().publicKey,
};
