/**
 * Throughput of a reader thread: blocks of devnet chain A per second in responses of `/getwalletsyncdata` and `/getrawblocks`.
 *
 *   node -r ./scripts/source-loader.cjs bench/wallet-sync.bench.ts [--rounds 15] [--seconds 0.4]
 *                                                               [--suite <folder>] [--compare <folder>]
 *
 * One process per built tree runs one query after the other on its main thread, like a reader thread without HTTP. Blocks and
 * bytes of JSON per second of processor time, medians of the rounds. `--compare` names the built tree of an earlier commit: the
 * rounds of both alternate, and the ratio is the median over the pairs of rounds.
 */
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { importChainA } from './support/daemon-process';
import { median, row, runBench } from './support/figures';
import { machine } from './support/machine';

const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '15' },
    seconds: { type: 'string', default: '0.4' },
    suite: { type: 'string', default: join(__dirname, '..') },
    compare: { type: 'string' },
  },
});

const CASES = [
  ['walletSyncData', 20, 'wallet sync, 20 blocks'],
  ['walletSyncData', 100, 'wallet sync, 100 blocks'],
  ['rawBlocks', 100, 'raw blocks, 100 blocks'],
] as const;

/** Results of one round, per second of processor time. */
interface Round {
  readonly blocks: number;
  readonly bytes: number;
}

/** A process that runs the queries of one tree. */
class Tree {
  private constructor(
    private readonly child: ChildProcess,
    private readonly folder: string,
  ) {}

  static async start(tree: string): Promise<Tree> {
    const folder = mkdtempSync(join(tmpdir(), 'bench-sync-'));
    const child = fork(join(__dirname, 'support/sync-process.cjs'), [tree, importChainA(tree, folder)], {
      execArgv: [],
    });
    const failed = once(child, 'exit').then(() => Promise.reject(new Error(`${tree} cannot serve queries`)));
    await Promise.race([once(child, 'message'), failed]);
    failed.catch(() => undefined);
    return new Tree(child, folder);
  }

  async round(name: string, blockCount: number, seconds: number): Promise<Round> {
    this.child.send({ name, blockCount, seconds });
    const [round] = (await once(this.child, 'message')) as [Round];
    return round;
  }

  async stop(): Promise<void> {
    const gone = once(this.child, 'exit');
    this.child.disconnect();
    await gone;
    rmSync(this.folder, { recursive: true });
  }
}

const columns = (rounds: readonly Round[]): (string | number)[] => [
  median(rounds.map(({ blocks }) => blocks)),
  `${(median(rounds.map(({ bytes }) => bytes)) / 1e6).toFixed(0)} MB`,
];

async function main(): Promise<void> {
  const seconds = Number(values.seconds);
  const after = await Tree.start(values.suite);
  const before = values.compare === undefined ? undefined : await Tree.start(values.compare);
  try {
    console.log(machine());
    console.log(`\n${row('a second of one processor', ['blocks', 'JSON'])}`);
    for (const [name, count, label] of CASES) {
      const results = { before: [] as Round[], after: [] as Round[] };
      for (let i = -1; i < Number(values.rounds); i++) {
        const one = async (tree: Tree | undefined, into: Round[]): Promise<void> => {
          const round = await tree?.round(name, count, seconds);
          // the first round warms up
          if (i >= 0 && round !== undefined) into.push(round);
        };
        await one(before, results.before);
        await one(after, results.after);
      }
      if (before !== undefined) console.log(row(`${label}, before`, columns(results.before)));
      console.log(row(label, columns(results.after)));
      const ratios = results.after.map(({ blocks }, i) => blocks / (results.before[i]?.blocks ?? NaN));
      if (before !== undefined) console.log(row('  ratio', [median(ratios).toFixed(2)]));
    }
  } finally {
    await Promise.all([after.stop(), before?.stop()]);
  }
}

runBench(main);
