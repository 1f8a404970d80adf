import { createHash } from 'node:crypto';
import { VerifiedBlock, type BlockFacts } from '../../packages/consensus/src';
import {
  buildExtra,
  buildNonce,
  encodeBlock,
  encodeTransaction,
  parseBlock,
  ParsedTransaction,
  type ParsedBlock,
} from '../../packages/core-types/src';

/*
 * Synthetic blocks: 10 outputs, 14 key images, 5 KB serialized. Every tenth has only a coinbase, and a quarter of the
 * transactions have a payment id. They break consensus rules, which the writer of the chain database does not check.
 */

/** Deterministic pseudorandom bytes: SHAKE256 of a counter. */
class Noise {
  private counter = 0;
  private block = Buffer.alloc(0);
  private used = 0;

  constructor(private readonly name: string) {}

  take32(): Buffer {
    if (this.used === this.block.length) {
      this.block = createHash('shake256', { outputLength: 65_536 }).update(`${this.name}/${this.counter++}`).digest();
      this.used = 0;
    }
    return this.block.subarray(this.used, (this.used += 32));
  }

  number(limit: number): number {
    return this.take32().readUInt32LE() % limit;
  }
}

let noise = new Noise('growth');

/** Restarts the pseudorandom bytes from another seed. */
export function inventFrom(name: string): void {
  noise = new Noise(name);
}

/** One digit and up to seven zeros, like the denominations of wallets; small amounts are the most common. */
const amount = (): bigint => BigInt((1 + noise.number(9)) * 10 ** Math.min(noise.number(8), noise.number(8)));
const outputs = (count: number) => Array.from({ length: count }, () => ({ amount: amount(), key: noise.take32() }));

/** One in this number of transactions has a plain payment id. */
const PAYMENT_ID_ONE_IN = 4;

const paymentIdExtra = (): Buffer => buildExtra({ nonce: buildNonce({ paymentId: noise.take32().toString('hex') }) });

function transaction(inputCount: number, outputCount: number): ParsedTransaction {
  const inputs = Array.from({ length: inputCount }, () => ({
    type: 'key' as const,
    amount: amount(),
    keyOffsets: [noise.number(1_000_000), 77, 1234, 9, 500],
    keyImage: noise.take32(),
  }));
  const signatures = inputs.map(() => Buffer.concat(Array.from({ length: 10 }, () => noise.take32())));
  const key = Buffer.concat([Buffer.from([1]), noise.take32()]);
  const extra = noise.number(PAYMENT_ID_ONE_IN) === 0 ? Buffer.concat([paymentIdExtra(), key]) : key;
  const made = { version: 1, unlockTime: 0n, inputs, outputs: outputs(outputCount), extra, signatures };
  return new ParsedTransaction(made, encodeTransaction(made));
}

function blockOf(height: number, previousHash: Buffer, transactions: readonly ParsedTransaction[]): ParsedBlock {
  const coinbase = {
    version: 1,
    unlockTime: BigInt(height + 40),
    inputs: [{ type: 'base' as const, height }],
    outputs: outputs(transactions.length === 0 ? 4 : 2),
    extra: Buffer.concat([Buffer.from([1]), noise.take32()]),
    signatures: [Buffer.alloc(0)],
  };
  const transactionHashes = transactions.map(({ hash }) => hash);
  const header = { majorVersion: 1, minorVersion: 0, timestamp: BigInt(1_500_000_000 + height * 60), nonce: height };
  return parseBlock(encodeBlock({ ...header, previousHash, coinbase, transactionHashes }));
}

/** A synthetic block as VerifiedBlock. The class has no public constructor, so it is created from the prototype. */
function invent(parent: BlockFacts | undefined): VerifiedBlock {
  const height = (parent?.height ?? -1) + 1;
  const share = 1 + noise.number(13);
  const transactions = height % 10 === 0 ? [] : [transaction(share, 4), transaction(14 - share, 4)];
  const block = blockOf(height, parent?.hash ?? Buffer.alloc(32), transactions);
  const facts: BlockFacts = {
    height,
    hash: block.hash,
    majorVersion: 1,
    minorVersion: 0,
    timestamp: Number(block.block.timestamp),
    size: transactions.reduce((sum, { size }) => sum + size, block.coinbase.size),
    difficulty: 1000n,
    cumulativeDifficulty: (parent?.cumulativeDifficulty ?? 0n) + 1000n,
    generatedCoins: (parent?.generatedCoins ?? 0n) + 1000n,
    generatedTransactions: (parent?.generatedTransactions ?? 0) + 1 + transactions.length,
  };
  const values = { block, transactions, facts, fees: 0n, checkpointed: true };
  const properties = Object.entries(values).map(([name, value]) => [name, { value }] as const);
  return Object.create(VerifiedBlock.prototype, Object.fromEntries(properties)) as VerifiedBlock;
}

export const bytesOf = ({ block, transactions }: VerifiedBlock): number =>
  transactions.reduce((sum, { size }) => sum + size, block.bytes.length);

/** The blocks of one commit. @param limit bytes after which no block is added */
export function batch(parent: BlockFacts | undefined, limit: number, maxBlocks: number): VerifiedBlock[] {
  const blocks: VerifiedBlock[] = [];
  for (let bytes = 0; bytes < limit && blocks.length < maxBlocks; bytes += bytesOf(blocks.at(-1) as VerifiedBlock)) {
    blocks.push(invent(blocks.at(-1)?.facts ?? parent));
  }
  return blocks;
}
