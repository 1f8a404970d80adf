/**
 * How writing grows with the chain: synthetic blocks (10 outputs, 14 key images, 5 KB serialized; every tenth with nothing
 * but a coinbase) straight through the writer of the chain database, which never sees whether they obey the rules.
 *
 *   node -r ./scripts/source-loader.cjs bench/growth.bench.ts [--blocks 100000] [--at 30000,100000,300000,1000000]
 *     [--batch-bytes 16777216] [--window 20000] [--directory <where>] [--keep] [--compare <folder>]
 *     [--pair <short>,<long>] [--rounds 10]
 *
 * For the window of blocks that ends at each mark: bytes that reached the disk per block (`write_bytes` of /proc/self/io:
 * log and file both), microseconds per block by the clock and of the processor, and the longest single commit. `--pair` goes
 * on with two kept databases in turns, a batch each, and prints the median ratio of the pairs: for a machine whose load changes
 * while a long chain grows. `--compare` runs this benchmark of the tree in
 * another folder (before) and of this tree (after) one after the other.
 */
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { databaseFile, openChainDb } from '../packages/chain-db/src';
import { VerifiedBlock, type BlockFacts } from '../packages/consensus/src';
import {
  encodeBlock,
  encodeTransaction,
  parseBlock,
  ParsedTransaction,
  type ParsedBlock,
} from '../packages/core-types/src';
import { median, row, runBench } from './support/figures';
import { machine } from './support/machine';

const { values } = parseArgs({
  options: {
    blocks: { type: 'string', default: '100000' },
    at: { type: 'string', default: '30000,100000,300000,1000000' },
    'batch-bytes': { type: 'string', default: String(16 * 1024 * 1024) },
    window: { type: 'string', default: '20000' },
    directory: { type: 'string', default: tmpdir() },
    compare: { type: 'string' },
    keep: { type: 'boolean', default: false },
    pair: { type: 'string' },
    rounds: { type: 'string', default: '10' },
  },
});

/** Deterministic bytes, as evenly spread as hashes are: a counter under SHA-256. */
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
/** One digit and up to seven zeros, as wallets cut amounts; small ones are the most common. */
const amount = (): bigint => BigInt((1 + noise.number(9)) * 10 ** Math.min(noise.number(8), noise.number(8)));
const outputs = (count: number) => Array.from({ length: count }, () => ({ amount: amount(), key: noise.take32() }));

function transaction(inputCount: number, outputCount: number): ParsedTransaction {
  const inputs = Array.from({ length: inputCount }, () => ({
    type: 'key' as const,
    amount: amount(),
    keyOffsets: [noise.number(1_000_000), 77, 1234, 9, 500],
    keyImage: noise.take32(),
  }));
  const signatures = inputs.map(() => Buffer.concat(Array.from({ length: 10 }, () => noise.take32())));
  const extra = Buffer.concat([Buffer.from([1]), noise.take32()]);
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

/** A block that the writer takes for a verified one: it asks for the class, and the class alone could make one. */
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

const bytesOf = ({ block, transactions }: VerifiedBlock): number =>
  transactions.reduce((sum, { size }) => sum + size, block.bytes.length);

/** The blocks of one commit. */
function batch(parent: BlockFacts | undefined, most: number): VerifiedBlock[] {
  const limit = Number(values['batch-bytes']);
  const blocks: VerifiedBlock[] = [];
  for (let bytes = 0; bytes < limit && blocks.length < most; bytes += bytesOf(blocks.at(-1) as VerifiedBlock)) {
    blocks.push(invent(blocks.at(-1)?.facts ?? parent));
  }
  return blocks;
}

/** Bytes that this process has caused to be written, so far. */
const written = (): number => Number(/^write_bytes: (\d+)/m.exec(readFileSync('/proc/self/io', 'utf8'))?.[1]);

interface Sample {
  readonly height: number;
  readonly written: number;
  readonly seconds: number;
  /** Of the processor. */
  readonly busy: number;
}

function grow(): void {
  const total = Number(values.blocks);
  const window = Number(values.window);
  const marks = values.at.split(',').map(Number);
  const directory = mkdtempSync(join(values.directory, 'bench-growth-'));
  const db = openChainDb({ directory, network: 'devnet' });
  console.log(
    row('blocks so far', ['bytes a block', 'us a block', 'us processor', 'longest ms', 'file MB', 'resident MB']),
  );
  let tip: BlockFacts | undefined;
  let seconds = 0;
  let busy = 0;
  let longest = 0;
  let raw = 0;
  const samples: Sample[] = [{ height: 0, written: written(), seconds: 0, busy: 0 }];
  for (let height = 0; height < total;) {
    const mark = [...marks, total].find((one) => one > height) ?? total;
    const blocks = batch(tip, Math.min(mark, total) - height);
    height += blocks.length;
    tip = blocks.at(-1)?.facts;
    raw += blocks.reduce((sum, block) => sum + bytesOf(block), 0);
    const start = performance.now();
    const before = process.cpuUsage();
    db.writer?.append(blocks);
    const took = (performance.now() - start) / 1000;
    const { user, system } = process.cpuUsage(before);
    seconds += took;
    busy += (user + system) / 1e6;
    longest = Math.max(longest, took);
    samples.push({ height, written: written(), seconds, busy });
    if (!marks.includes(height) && height < total) continue;
    const now = samples[samples.length - 1] as Sample;
    const from = samples.findLast((one) => one.height <= Math.max(0, height - window)) as Sample;
    const count = now.height - from.height;
    const mega = (bytes: number): string => (bytes / 1e6).toFixed(0);
    console.log(
      row(height.toLocaleString('en-US'), [
        (now.written - from.written) / count,
        ((now.seconds - from.seconds) * 1e6) / count,
        ((now.busy - from.busy) * 1e6) / count,
        longest * 1000,
        mega(statSync(databaseFile(directory)).size),
        mega(process.memoryUsage().rss),
      ]),
    );
    longest = 0;
  }
  console.log(row('serialized bytes a block', [raw / total]));
  if (values.keep) {
    for (const { name, bytes } of db.reader.space()) console.log(row(name, [bytes]));
  }
  db.close();
  if (values.keep) console.log(directory);
  else rmSync(directory, { recursive: true });
}

/** Both are appended to in turns, each round the one and then the other; the first round only warms up. */
function pair(directories: readonly string[]): void {
  const chains = directories.map((directory) => openChainDb({ directory, network: 'devnet' }));
  const figures = chains.map(() => ({ written: [] as number[], busy: [] as number[], clock: [] as number[] }));
  noise = new Noise(`pair/${Date.now()}`);
  for (let round = 0; round <= Number(values.rounds); round++) {
    chains.forEach(({ reader, writer }, i) => {
      const blocks = batch(reader.tip(), Infinity);
      const [start, usage, bytes] = [performance.now(), process.cpuUsage(), written()];
      writer?.append(blocks);
      const { user, system } = process.cpuUsage(usage);
      if (round === 0) return;
      figures[i]?.clock.push(((performance.now() - start) * 1000) / blocks.length);
      figures[i]?.busy.push((user + system) / blocks.length);
      figures[i]?.written.push((written() - bytes) / blocks.length);
    });
  }
  console.log(row('blocks so far', ['bytes a block', 'us a block', 'us processor']));
  chains.forEach((db, i) => {
    const { written: bytes, clock, busy } = figures[i] as (typeof figures)[number];
    const mean = bytes.reduce((sum, one) => sum + one, 0) / bytes.length;
    console.log(row(db.reader.height().toLocaleString('en-US'), [mean, median(clock), median(busy)]));
    db.close();
  });
  const ratio = (name: 'clock' | 'busy'): string => {
    const [short, long] = figures;
    return median((long?.[name] ?? []).map((one, i) => one / (short?.[name][i] ?? one))).toFixed(2);
  };
  console.log(row('median ratio of the pairs', ['', ratio('clock'), ratio('busy')]));
}

function compare(folder: string): void {
  const own = process.argv.slice(2).filter((one, i, all) => one !== '--compare' && all[i - 1] !== '--compare');
  for (const [name, tree] of [
    ['before', folder],
    ['after', join(__dirname, '..')],
  ] as const) {
    const args = ['-r', join(tree, 'scripts/source-loader.cjs'), join(tree, 'bench/growth.bench.ts'), ...own];
    console.log(`${name}\n${execFileSync(process.execPath, args, { cwd: tree, encoding: 'utf8' })}`);
  }
}

runBench(() => {
  console.log(machine());
  if (values.compare !== undefined) compare(values.compare);
  else if (values.pair !== undefined) pair(values.pair.split(','));
  else grow();
  return Promise.resolve();
});
