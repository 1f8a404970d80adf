/**
 * The chain database while the chain grows: synthetic blocks (support/invented-chain.ts) through its writer.
 *
 *   node -r ./scripts/source-loader.cjs bench/chain-growth.bench.ts [--blocks 100000] [--at 30000,100000,300000,1000000]
 *     [--batch-bytes 16777216] [--window 20000] [--directory <where>] [--keep] [--compare <folder>]
 *     [--pair <short>,<long>] [--rounds 10] [--verify] [--preload 150000000] [--preloaded <folder> [--open]]
 *
 * For the window of blocks that ends at each mark: bytes written to disk per block (`write_bytes` of /proc/self/io, log and
 * file), microseconds per block of wall clock and of processor time, the longest single commit, and microseconds per look-up.
 * `--verify` times a verification at the end and prints the bytes per block of every table. `--pair` appends to two stored
 * databases alternately, one batch each, and prints the median ratio of the pairs: for a machine whose load changes.
 * `--compare` runs this benchmark in the tree of another folder (before) and in this tree (after), one after the other.
 *
 * `--preload` creates a database with this many synthetic key images and no blocks. `--preloaded` appends to one in its folder;
 * with `--open` it prints the memory of the open database and the time of a miss, cold and warm.
 */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { type ChainWriter, databaseFile, openChainDb } from '../packages/chain-db/src';
import { printLookUps } from './support/chain-look-ups';
import { median, row, runBench, since } from './support/figures';
import { avoidInvented, dropFromCache, preloadKeyImages, printMisses } from './support/preload';
import { timeVerify, printSpace } from './support/chain-passes';
import { batch, bytesOf, inventFrom } from './support/invented-chain';
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
    verify: { type: 'boolean', default: false },
    preload: { type: 'string', default: '0' },
    preloaded: { type: 'string' },
    open: { type: 'boolean', default: false },
  },
});

const batchBytes = Number(values['batch-bytes']);

/** Bytes that this process has written to disk so far. */
const written = (): number => Number(/^write_bytes: (\d+)/m.exec(readFileSync('/proc/self/io', 'utf8'))?.[1]);

interface Sample {
  readonly height: number;
  readonly written: number;
  readonly seconds: number;
  /** Processor time. */
  readonly busy: number;
}

async function grow(): Promise<void> {
  const total = Number(values.blocks);
  const window = Number(values.window);
  const marks = values.at.split(',').map(Number);
  const directory = values.preloaded ?? mkdtempSync(join(values.directory, 'bench-growth-'));
  if (Number(values.preload) > 0) return preload(directory, Number(values.preload));
  const db = openChainDb({ directory, network: 'devnet' });
  console.log(
    row('blocks so far', ['bytes a block', 'us a block', 'us processor', 'longest ms', 'file MB', 'resident MB']),
  );
  let tip = db.reader.height() < 0 ? undefined : db.reader.tip();
  if (tip !== undefined) inventFrom(`growth/${tip.height}`);
  let seconds = 0;
  let busy = 0;
  let longest = 0;
  let raw = 0;
  const samples: Sample[] = [{ height: db.reader.height() + 1, written: written(), seconds: 0, busy: 0 }];
  for (let height = db.reader.height() + 1; height < total;) {
    const mark = [...marks, total].find((one) => one > height) ?? total;
    const blocks = batch(tip, batchBytes, Math.min(mark, total) - height);
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
    printLookUps(db.reader);
  }
  console.log(row('serialized bytes a block', [raw / total]));
  if (values.verify || values.keep) printSpace(db.reader);
  db.close();
  if (values.verify) await timeVerify(directory);
  if (values.keep || values.preloaded !== undefined) console.log(directory);
  else rmSync(directory, { recursive: true });
}

/** Creates a database with synthetic key images in a folder. */
function preload(directory: string, keyImages: number): void {
  const db = openChainDb({ directory, network: 'devnet' });
  preloadKeyImages(db.writer as ChainWriter, keyImages);
  db.close();
  console.log(directory);
}

/** Prints the memory of an open database and the time of misses. */
function open(directory: string): void {
  const file = databaseFile(directory);
  dropFromCache(file);
  const before = process.memoryUsage().rss;
  const start = performance.now();
  const db = openChainDb({ directory, network: 'devnet' });
  db.reader.keyImageHeight(Buffer.alloc(32));
  const opened = since(start);
  globalThis.gc?.();
  const mega = (bytes: number): string => `${(bytes / 1e6).toFixed(0)} MB`;
  console.log(row('open, cold', [`${opened.toFixed(0)} ms`, `file ${mega(statSync(file).size)}`]));
  console.log(row('memory of the open database', [mega(process.memoryUsage().rss - before)]));
  printMisses('writer thread, cold', db.reader);
  printMisses('writer thread, warm', db.reader);
  dropFromCache(file);
  const other = openChainDb({ directory, network: 'devnet', readonly: true, besideOwn: true });
  printMisses('other reader, cold', other.reader);
  printMisses('other reader, warm', other.reader);
  other.close();
  db.close();
}

/** Appends to both alternately. The first round is a warm-up. */
function pair(directories: readonly string[]): void {
  const chains = directories.map((directory) => openChainDb({ directory, network: 'devnet' }));
  const figures = chains.map(() => ({ written: [] as number[], busy: [] as number[], clock: [] as number[] }));
  inventFrom(`pair/${Date.now()}`);
  for (let round = 0; round <= Number(values.rounds); round++) {
    chains.forEach(({ reader, writer }, i) => {
      const blocks = batch(reader.tip(), batchBytes, Infinity);
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
    const args = ['-r', join(tree, 'scripts/source-loader.cjs'), join(tree, 'bench/chain-growth.bench.ts'), ...own];
    console.log(`${name}\n${execFileSync(process.execPath, args, { cwd: tree, encoding: 'utf8' })}`);
  }
}

runBench(() => {
  console.log(machine());
  if (values.preloaded !== undefined) avoidInvented();
  if (values.compare !== undefined) compare(values.compare);
  else if (values.open) open(values.preloaded ?? values.directory);
  else if (values.pair !== undefined) pair(values.pair.split(','));
  else return grow();
  return Promise.resolve();
});
