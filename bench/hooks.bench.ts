/**
 * Whether hooks slow down a synchronization: a devnet daemon downloads chain A from another one, without hooks, and with a
 * hanging command and an unreachable URL as hooks of every block and transaction.
 *
 *   node -r ./scripts/source-loader.cjs bench/hooks.bench.ts [--rounds 5] [--events 5000]
 *
 * The two alternate; medians of the milliseconds to the tip. Then the milliseconds of the main thread for queueing `--events`
 * events.
 */
import { parseArgs } from 'node:util';
import { Daemon, readConfig } from '@wrkz/daemon';
import { NotificationHooks, silentLogger } from '@wrkz/service-kit';
import { Suite, type SuiteNode } from '@wrkz/testing';
import { median, milliseconds, row, runBench, since } from './support/figures';
import { machine } from './support/machine';

const { values } = parseArgs({
  options: { rounds: { type: 'string', default: '5' }, events: { type: 'string', default: '5000' } },
});

const HANGING = 'sleep 600';
const DEAD = 'http://127.0.0.1:1/';
const HOOKS = ['--notify-during-sync', ...['--block-notify', HANGING, '--block-notify', DEAD, '--tx-notify', DEAD]];

async function synchronize(suite: Suite, source: SuiteNode, args: readonly string[]): Promise<number> {
  const start = performance.now();
  const node = await suite.node({ peers: [source.p2pPort], args });
  await node.untilTip(source.tip);
  const time = since(start);
  await node.stop();
  return time;
}

async function handOver(suite: Suite, count: number): Promise<number> {
  const hooks = await NotificationHooks.start({
    hooks: [{ name: 'block-notify', values: [HANGING, DEAD] }],
    logger: silentLogger(),
    directory: suite.folder(),
  });
  const start = performance.now();
  for (let height = 0; height < count; height++) {
    const hash = 'aa'.repeat(32);
    const placeholders = { s: hash, h: String(height) };
    hooks.notify('block-notify', { event: 'block', placeholders, fields: { height, hash } });
  }
  const time = since(start);
  await hooks.close();
  return time;
}

runBench(async () => {
  const suite = new Suite((args) => Daemon.create(readConfig(args), { logger: silentLogger() }));
  try {
    console.log(machine());
    const source = await suite.node({ from: await suite.chainA() });
    const without: number[] = [];
    const beside: number[] = [];
    for (let round = 0; round < Number(values.rounds); round++) {
      without.push(await synchronize(suite, source, []));
      beside.push(await synchronize(suite, source, HOOKS));
    }
    console.log(row('without hooks', [milliseconds(median(without))]));
    console.log(row('with hooks that hang', [milliseconds(median(beside))]));
    const count = Number(values.events);
    console.log(row(`${String(count)} events`, [milliseconds(await handOver(suite, count))]));
  } finally {
    await suite.stopAll();
  }
});
