import { createHash } from 'node:crypto';
import { EventEmitter } from 'node:events';
import { type ReasonCode, REASONS } from '@wrkz/consensus';
import type { RawBlock } from '@wrkz/core-types';
import { type AddBlockResult, isAccepted } from '../../src/chain/results';
import type { CommitEvent } from '../../src/chain/service';
import type { BlockCodec, ChainPort, BlockAvailability, P2pLogger, PoolResult, PoolPort } from '../../src/p2p/ports';
import { systemClock } from '../../src/p2p/clock';

interface Stored {
  readonly hash: Buffer;
  readonly height: number;
  readonly previous: Buffer;
  readonly raw: RawBlock;
}

const key = (hash: Buffer): string => hash.toString('hex');

/** A chain that checks links only; the longer branch wins. `refuse` makes blocks invalid by hash. */
export class FakeChain extends EventEmitter<{ commit: [CommitEvent] }> implements ChainPort {
  private readonly blocks = new Map<string, Stored>();
  private readonly transactions = new Map<string, Buffer>();
  private main: Stored[] = [];
  readonly refuse = new Map<string, ReasonCode>();
  /** Hashes of blocks with insufficient work, or too deep. */
  readonly work = new Map<string, 'fails' | 'deep'>();
  /** Number of checks of proofs of work, and of lookups of transactions. */
  worked = 0;
  lookUps = 0;
  mostTransactions = 10_000;
  longest = Infinity;
  /** Every call of `addBlocks`. */
  readonly calls: { readonly count: number; readonly source: string }[] = [];
  /** Awaited before blocks are added. */
  gate: Promise<void> = Promise.resolve();
  failure: Error | undefined;

  constructor(
    readonly codec: BlockCodec,
    blocks: readonly RawBlock[],
  ) {
    super();
    for (const [height, raw] of blocks.entries()) this.extend(this.store(raw, height));
  }

  /** The claimed availability; the chain serves all blocks. */
  kept: BlockAvailability = {};

  availability(): BlockAvailability {
    return this.kept;
  }

  tip(): { height: number; hash: Buffer } {
    const tip = this.main.at(-1);
    if (tip === undefined) throw new Error('no genesis');
    return { height: tip.height, hash: tip.hash };
  }

  isKnown(hash: Buffer): boolean {
    return this.blocks.has(key(hash));
  }

  heightOf(hash: Buffer): number | undefined {
    const stored = this.blocks.get(key(hash));
    return stored !== undefined && this.main[stored.height] === stored ? stored.height : undefined;
  }

  hashAt(height: number): Buffer | undefined {
    return this.main[height]?.hash;
  }

  hashes(start: number, count: number): Buffer[] {
    return this.main.slice(start, start + count).map((stored) => stored.hash);
  }

  rawBlock(hash: Buffer): RawBlock | undefined {
    return this.blocks.get(key(hash))?.raw;
  }

  transactionsOfBlock(): number {
    return this.mostTransactions;
  }

  largestBlock(): number {
    return this.longest;
  }

  checkProofOfWork(block: Buffer): Promise<'holds' | 'fails' | 'deep'> {
    this.worked += 1;
    return Promise.resolve(this.work.get(key(this.codec.parse(block).hash)) ?? 'holds');
  }

  transaction(hash: Buffer): Buffer | undefined {
    this.lookUps += 1;
    return this.transactions.get(key(hash));
  }

  async addBlocks(blocks: readonly RawBlock[], source: 'sync' | 'relay'): Promise<AddBlockResult[]> {
    this.calls.push({ count: blocks.length, source });
    await this.gate;
    if (this.failure !== undefined) throw this.failure;
    const results: AddBlockResult[] = [];
    for (const raw of blocks) {
      const result = this.add(raw);
      results.push(result);
      if (!isAccepted(result)) break;
    }
    return results;
  }

  /** Adds a block at once, as mining does. */
  add(raw: RawBlock): AddBlockResult {
    const { hash, block } = this.codec.parse(raw.block);
    const respond = (code: ReasonCode): AddBlockResult => ({ code, message: REASONS[code].text, hash });
    if (this.isKnown(hash)) return respond('ALREADY_EXISTS');
    const parent = this.blocks.get(key(block.previousHash));
    if (parent === undefined) return respond('REJECTED_AS_ORPHANED');
    const refusal = this.refuse.get(key(hash));
    if (refusal !== undefined) return respond(refusal);
    const stored = this.store(raw, parent.height + 1);
    const tip = this.main.at(-1);
    if (tip === parent) {
      this.extend(stored);
      this.emit('commit', { kind: 'append', added: [{ height: stored.height, hash }] } as never);
      return respond('ADDED_TO_MAIN');
    }
    if (tip !== undefined && stored.height <= tip.height) return respond('ADDED_TO_ALTERNATIVE');
    this.switchTo(stored);
    return respond('ADDED_TO_ALTERNATIVE_AND_SWITCHED');
  }

  private store(raw: RawBlock, height: number): Stored {
    const { hash, block } = this.codec.parse(raw.block);
    const stored = { hash, height, previous: block.previousHash, raw };
    this.blocks.set(key(hash), stored);
    for (const bytes of raw.transactions) this.transactions.set(key(this.codec.transactionHash(bytes)), bytes);
    return stored;
  }

  private extend(stored: Stored): void {
    this.main.push(stored);
  }

  private switchTo(tip: Stored): void {
    const added: Stored[] = [];
    let at: Stored | undefined = tip;
    while (at !== undefined && this.main[at.height] !== at) {
      added.unshift(at);
      at = this.blocks.get(key(at.previous));
    }
    this.main = [...this.main.slice(0, (at?.height ?? -1) + 1), ...added];
    this.emit('commit', { kind: 'switch', added } as never);
  }
}

/** A pool that accepts all transactions except those in `refuse`. */
export class FakePool extends EventEmitter<{ added: [{ hash: Buffer }] }> implements PoolPort {
  private readonly entries = new Map<string, Buffer>();
  readonly refuse = new Set<string>();
  /** Transactions that no node can have accepted. */
  readonly forged = new Set<string>();
  validated = 0;
  lookUps = 0;

  constructor(private readonly codec: BlockCodec) {
    super();
  }

  add(transaction: Buffer): Promise<PoolResult> {
    this.validated += 1;
    const hash = this.codec.transactionHash(transaction);
    if (this.forged.has(key(hash))) return Promise.resolve({ accepted: false, scope: 'everywhere' });
    if (this.refuse.has(key(hash))) return Promise.resolve({ accepted: false, scope: 'here' });
    if (this.entries.has(key(hash))) return Promise.resolve({ accepted: false, scope: 'none' });
    this.entries.set(key(hash), transaction);
    this.emit('added', { hash });
    return Promise.resolve({ accepted: true });
  }

  has(hash: Buffer): boolean {
    return this.entries.has(key(hash));
  }

  get(hash: Buffer): Buffer | undefined {
    this.lookUps += 1;
    return this.entries.get(key(hash));
  }

  hashes(): Buffer[] {
    return [...this.entries.keys()].map((text) => Buffer.from(text, 'hex'));
  }
}

/** The codec of synthetic blocks: previous hash, a number, and the hashes of the transactions. */
export const toyCodec: BlockCodec = {
  parse(block) {
    if (block.length < 36 || (block.length - 36) % 32 !== 0) throw new Error('no block');
    const transactionHashes = [];
    for (let at = 36; at < block.length; at += 32) transactionHashes.push(block.subarray(at, at + 32));
    return { hash: sha256(block), block: { previousHash: block.subarray(0, 32), transactionHashes } };
  },
  transactionHash: (transaction) => sha256(transaction),
};

export function sha256(bytes: Buffer): Buffer {
  return createHash('sha256').update(bytes).digest();
}

/** A synthetic block. `salt` makes blocks of the same parent different. */
export function toyBlock(previous: Buffer, salt: number, transactions: readonly Buffer[] = []): RawBlock {
  const number = Buffer.alloc(4);
  number.writeUInt32LE(salt);
  return { block: Buffer.concat([previous, number, ...transactions.map(sha256)]), transactions };
}

/** `count` synthetic blocks after `previous`; every third has two transactions. */
export function toyBranch(previous: Buffer, count: number, salt: number): RawBlock[] {
  const blocks: RawBlock[] = [];
  let parent = previous;
  for (let index = 0; index < count; index += 1) {
    const transactions = index % 3 === 0 ? [Buffer.from(`a${salt}-${index}`), Buffer.from(`b${salt}-${index}`)] : [];
    const raw = toyBlock(parent, salt + index, transactions);
    blocks.push(raw);
    parent = sha256(raw.block);
  }
  return blocks;
}

/** A synthetic chain: genesis and `count` blocks. */
export function toyChain(count: number, salt = 0): RawBlock[] {
  const genesis = toyBlock(Buffer.alloc(32), 0xffffffff);
  return [genesis, ...toyBranch(sha256(genesis.block), count, salt)];
}

/** Collects log lines. */
export class TestLogger implements P2pLogger {
  readonly lines: string[] = [];
  debug(message: string): void {
    this.lines.push(`debug ${message}`);
  }
  info(message: string): void {
    this.lines.push(`info ${message}`);
  }
  warning(message: string): void {
    this.lines.push(`warning ${message}`);
  }
  error(message: string): void {
    this.lines.push(`error ${message}`);
  }
  get errors(): string[] {
    return this.lines.filter((line) => line.startsWith('error'));
  }
}

export { systemClock };
