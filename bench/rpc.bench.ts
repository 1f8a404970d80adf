/**
 * The daemon's RPC on devnet chain A, over loopback, the daemon in a process of its own.
 *
 *   node -r ./scripts/source-loader.cjs bench/rpc.bench.ts [--rounds 15] [--seconds 0.3] [--only <name>]
 *                                                          [--suite <folder>] [--compare <folder>]
 *
 * Requests per second, median and 99th percentile of the time to the whole response, and the daemon's processor time per
 * request, with 1 and with 16 kept-alive clients: medians of the rounds; processor time over all rounds. `--suite` is the built
 * tree to measure, by default this one. `--compare` is the built tree to compare with: both daemons run at once, their rounds
 * alternate, and the ratio after/before is the median over the pairs. On a machine with other load rely on the processor time.
 */
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { chainALines } from '../packages/testing/src/fixtures';
import { DaemonProcess } from './support/daemon-process';
import { median, quantile, row, runBench, since } from './support/figures';
import { KeepAliveClient, requestBytes } from './support/keep-alive-client';
import { machine } from './support/machine';
import { usage } from './support/measured-process';

const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '15' },
    seconds: { type: 'string', default: '0.3' },
    only: { type: 'string' },
    suite: { type: 'string', default: join(__dirname, '..') },
    compare: { type: 'string' },
  },
});

const CLIENTS = [1, 16];
/** Warm-up, until the code is compiled. */
const WARM_UP_SECONDS = 2;
const SYNC_BLOCKS = 20;
/** The default of wallets. */
const MANY_BLOCKS = 100;
/** A block with transactions, and the block below it, which a wallet names as its last. */
const HEIGHT = 600;

interface Request {
  readonly name: string;
  readonly bytes: Buffer;
}

function requests(): Request[] {
  const below = chainALines()[HEIGHT - 1];
  if (below === undefined) throw new Error('chain A is too short');
  const sync = { blockHashCheckpoints: [below.hash], blockCount: SYNC_BLOCKS, startHeight: 0, startTimestamp: 0 };
  const header = { jsonrpc: '2.0', id: 1, method: 'getblockheaderbyheight', params: { height: HEIGHT } };
  return [
    { name: '/height', bytes: requestBytes('GET', '/height') },
    { name: '/info', bytes: requestBytes('GET', '/info') },
    { name: 'getblockheaderbyheight', bytes: requestBytes('POST', '/json_rpc', header) },
    { name: `/getwalletsyncdata, ${SYNC_BLOCKS} blocks`, bytes: requestBytes('POST', '/getwalletsyncdata', sync) },
    {
      name: `/getwalletsyncdata, ${MANY_BLOCKS} blocks`,
      bytes: requestBytes('POST', '/getwalletsyncdata', { ...sync, blockCount: MANY_BLOCKS }),
    },
    { name: `/getrawblocks, ${SYNC_BLOCKS} blocks`, bytes: requestBytes('POST', '/getrawblocks', sync) },
    {
      name: '/getrandom_outs, 2 x 8',
      bytes: requestBytes('POST', '/getrandom_outs', { amounts: [1_000_000, 2_000_000], outs_count: 8 }),
    },
  ].filter(({ name }) => values.only === undefined || name.includes(values.only));
}

/** Results of one round; times in milliseconds. */
interface Round {
  readonly requests: number;
  readonly rate: number;
  readonly p50: number;
  readonly p99: number;
  /** Processor seconds of the daemon. */
  readonly busy: number;
}

async function round(daemon: DaemonProcess, request: Buffer, clients: number, seconds: number): Promise<Round> {
  const times: number[] = [];
  const busyBefore = usage(daemon.pid).seconds;
  const start = performance.now();
  const open = Array.from({ length: clients }, () => new KeepAliveClient(daemon.port));
  await Promise.all(
    open.map(async (client) => {
      while (since(start) < seconds * 1000) {
        const sent = performance.now();
        await client.ask(request);
        times.push(since(sent));
      }
      client.close();
    }),
  );
  const rate = times.length / (since(start) / 1000);
  const busy = usage(daemon.pid).seconds - busyBefore;
  return { requests: times.length, rate, p50: median(times), p99: quantile(times, 0.99), busy };
}

const rates = (rounds: readonly Round[]): number => median(rounds.map(({ rate }) => rate));
const middle = (rounds: readonly Round[], of: 'p50' | 'p99'): string =>
  `${median(rounds.map((one) => one[of])).toFixed(3)} ms`;

const sum = (figures: readonly number[]): number => figures.reduce((total, figure) => total + figure, 0);

/** Microseconds per request over all rounds: clock ticks are too long for a single round. */
function busy(rounds: readonly Round[]): number {
  return (sum(rounds.map((one) => one.busy)) * 1e6) / sum(rounds.map(({ requests }) => requests));
}

function print(name: string, before: readonly Round[] | undefined, after: readonly Round[]): void {
  const line = (label: string, rounds: readonly Round[]): void =>
    console.log(
      row(label, [rates(rounds), middle(rounds, 'p50'), middle(rounds, 'p99'), `${busy(rounds).toFixed(0)} us`]),
    );
  if (before === undefined) return line(name, after);
  const pairs = (of: (one: Round) => number): string =>
    median(after.map((one, i) => of(one) / of(before[i] ?? one))).toFixed(3);
  console.log(name);
  line('  before', before);
  line('  after', after);
  const ratios = [pairs(({ rate }) => rate), pairs(({ p50 }) => p50), pairs(({ p99 }) => p99)];
  console.log(row('  ratio', [...ratios, (busy(after) / busy(before)).toFixed(3)]));
}

async function measure(
  name: string,
  request: Buffer,
  clients: number,
  trees: { readonly before: DaemonProcess | undefined; readonly after: DaemonProcess },
): Promise<void> {
  const { before, after } = trees;
  const seconds = Number(values.seconds);
  const results = { before: [] as Round[], after: [] as Round[] };
  const turns: [Round[], DaemonProcess][] = [[results.after, after]];
  if (before !== undefined) turns.unshift([results.before, before]);
  for (const [, daemon] of turns) await round(daemon, request, clients, Math.max(WARM_UP_SECONDS, seconds));
  for (let i = 0; i < Number(values.rounds); i++) {
    for (const [into, daemon] of i % 2 === 0 ? turns : [...turns].reverse()) {
      into.push(await round(daemon, request, clients, seconds));
    }
  }
  print(name, before === undefined ? undefined : results.before, results.after);
}

async function main(): Promise<void> {
  const started: DaemonProcess[] = [];
  const start = async (tree: string): Promise<DaemonProcess> => {
    const daemon = await DaemonProcess.start(tree);
    started.push(daemon);
    return daemon;
  };
  try {
    const before = values.compare === undefined ? undefined : await start(values.compare);
    const after = await start(values.suite);
    console.log(machine());
    for (const clients of CLIENTS) {
      const title = `${clients} client${clients === 1 ? '' : 's'}`;
      console.log(`\n${row(title, ['requests/s', 'median', 'p99', 'busy/request'])}`);
      for (const { name, bytes } of requests()) await measure(name, bytes, clients, { before, after });
    }
  } finally {
    await Promise.all(started.map((daemon) => daemon.stop()));
  }
}

runBench(main);
