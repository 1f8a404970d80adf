/**
 * Import of chain A through the whole pipeline: dump file, engine thread, every proof of work and ring signature checked.
 *
 *   node -r ./scripts/source-loader.cjs bench/import.bench.ts [--rounds 5] [--against <command>] [--compare <folder>]
 *
 * Blocks and transactions per second of the best and the median round, the longest pause of the main thread's event loop
 * during the import, bytes on disk per block, resident memory. `--against` runs `<command> <dump file>`, a program that imports
 * the file and prints its blocks per second last, alternating with ours, and prints the ratio of the medians. `--compare`
 * alternates rounds of the tree in another folder (before) and of this tree (after), each in its own process, and prints the
 * median ratio of the pairs.
 */
import { execFileSync, execSync } from 'node:child_process';
import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { parseArgs } from 'node:util';
import { ChainClient } from '../apps/daemon/src/chain/client';
import { DumpReader } from '../apps/daemon/src/dump/format';
import { importDump } from '../apps/daemon/src/dump/import';
import { databaseFile } from '../packages/chain-db/src';
import { writeChainADump } from '../packages/testing/src';
import { median, milliseconds, row, runBench } from './support/figures';
import { machine } from './support/machine';

const { values } = parseArgs({
  options: { rounds: { type: 'string', default: '5' }, against: { type: 'string' }, compare: { type: 'string' } },
});

interface Round {
  readonly blocks: number;
  readonly transactions: number;
  readonly seconds: number;
  /** Milliseconds. */
  readonly longestPause: number;
  readonly bytesOnDisk: number;
}

async function round(dump: string): Promise<Round> {
  const directory = mkdtempSync(join(tmpdir(), 'bench-import-'));
  const chain = await ChainClient.start({ directory, network: 'devnet', checkpoints: '' });
  const delay = monitorEventLoopDelay({ resolution: 1 });
  delay.enable();
  const start = performance.now();
  const { blocks, transactions } = await importDump({ dump: await DumpReader.open(dump), chain });
  const seconds = (performance.now() - start) / 1000;
  delay.disable();
  await chain.stop();
  const bytesOnDisk = statSync(databaseFile(directory)).size;
  rmSync(directory, { recursive: true });
  return { blocks, transactions, seconds, longestPause: delay.max / 1e6, bytesOnDisk };
}

/** The last number that a program prints. */
function lastNumber(text: string): number {
  const numbers = text.match(/\d+(\.\d+)?/g);
  if (numbers === null) throw new Error('the other program printed no number');
  return Number(numbers.at(-1));
}

/** Blocks per second of one round of a tree's own benchmark. */
function roundOf(tree: string): number {
  const loader = ['-r', join(tree, 'scripts/source-loader.cjs')];
  const args = [...loader, join(tree, 'bench/import.bench.ts'), '--rounds', '1'];
  const output = execFileSync(process.execPath, args, { cwd: tree, encoding: 'utf8' });
  const figure = /^blocks per second +([\d,]+)/m.exec(output)?.[1];
  if (figure === undefined) throw new Error(`the benchmark in ${tree} printed no rate: ${output}`);
  return Number(figure.replaceAll(',', ''));
}

function compare(folder: string): void {
  const rounds = { before: [] as number[], after: [] as number[] };
  const turns: [number[], string][] = [
    [rounds.before, folder],
    [rounds.after, join(__dirname, '..')],
  ];
  for (let i = 0; i < Number(values.rounds); i++) {
    for (const [into, tree] of i % 2 === 0 ? turns : [...turns].reverse()) into.push(roundOf(tree));
  }
  console.log(row('import of chain A, all checked', ['best', 'median']));
  const line = (name: string, figures: number[]): string => row(name, [Math.max(...figures), median(figures)]);
  console.log(line('blocks per second, before', rounds.before));
  console.log(line('blocks per second, after', rounds.after));
  const ratios = rounds.after.map((after, i) => after / (rounds.before[i] ?? after));
  console.log(row('ratio of the pairs', ['', median(ratios).toFixed(3)]));
}

async function main(): Promise<void> {
  if (values.compare !== undefined) {
    console.log(machine());
    return compare(values.compare);
  }

  const folder = mkdtempSync(join(tmpdir(), 'bench-dump-'));
  const dump = join(folder, 'chain-a.dump');
  writeChainADump(dump);
  const rounds: Round[] = [];
  const others: number[] = [];
  console.log(machine());
  for (let i = 0; i < Number(values.rounds); i++) {
    rounds.push(await round(dump));
    if (values.against !== undefined) {
      others.push(
        lastNumber(execSync(`${values.against} ${dump}`, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'] })),
      );
    }
  }
  const rate = (count: (one: Round) => number): number[] => rounds.map((one) => count(one) / one.seconds);
  const both = (name: string, figures: number[]): string => row(name, [Math.max(...figures), median(figures)]);
  console.log(row('import of chain A, all checked', ['best', 'median']));
  console.log(
    both(
      'blocks per second',
      rate(({ blocks }) => blocks),
    ),
  );
  console.log(
    both(
      'transactions per second',
      rate(({ transactions }) => transactions),
    ),
  );
  const pauses = rounds.map(({ longestPause }) => longestPause);
  console.log(
    row('longest pause of the event loop', [milliseconds(Math.min(...pauses)), milliseconds(median(pauses))]),
  );
  const [one] = rounds;
  if (one !== undefined) console.log(row('bytes on disk per block', [one.bytesOnDisk / (one.blocks + 1), '']));
  console.log(row('resident memory, MiB', [process.memoryUsage().rss / 2 ** 20, '']));
  if (others.length > 0) {
    const ratio = median(rate(({ blocks }) => blocks)) / median(others);
    console.log(row('against, blocks per second', ['', median(others)]));
    console.log(row('ratio of the medians', ['', ratio.toFixed(2)]));
  }
  rmSync(folder, { recursive: true });
}

runBench(main);
