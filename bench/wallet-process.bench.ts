/**
 * The first scan of a whole wallet process: wallet-api reads a chain of mainnet-shaped blocks from our daemon over loopback.
 * The wallet receives all outputs of one transaction in a hundred.
 *
 *   node -r ./scripts/source-loader.cjs bench/wallet-process.bench.ts [--blocks 20000] [--rounds 5]
 *     [--directory <where>] [--suite <folder>] [--compare <folder>] [--profile <folder>]
 *
 * Seconds of wall clock and of processor time from the start of the process until the wallet is synchronized, its peak of
 * resident memory, and the longest pause of its event loop. The chain is built once in `--directory` and used again.
 * `--compare` names a compiled tree of an earlier commit, whose wallet alternates with ours. With `CPP=<folder>`, the C++ wallet
 * `<folder>/wallet-api-devnet` is measured, too; use `CPP` only in a network namespace.
 */
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { chainAWallet } from '@wrkz/testing';
import { freePort } from '../packages/testing/src/free-port';
import { median, row, runBench, since } from './support/figures';
import { buildFirstSyncChain } from './support/first-sync-chain';
import { machine } from './support/machine';
import {
  getJson,
  heightOf,
  longestPause,
  type MeasuredProcess,
  OBSERVED,
  startProcess,
  until,
  usage,
} from './support/measured-process';

const { values } = parseArgs({
  options: {
    blocks: { type: 'string', default: '20000' },
    rounds: { type: 'string', default: '5' },
    directory: { type: 'string', default: join(tmpdir(), 'bench-wallet-process') },
    suite: { type: 'string', default: join(__dirname, '..') },
    compare: { type: 'string' },
    profile: { type: 'string' },
  },
});
const { CPP } = process.env;
const PASSWORD = 'bench';
const HEADERS = { 'X-API-KEY': PASSWORD };
/** The wallet receives every n-th transaction. */
const EVERY_NTH = 100;

const blocks = Number(values.blocks);
const data = join(values.directory, `data-${values.blocks}`);
const checkpoints = join(values.directory, `checkpoints-${values.blocks}.csv`);
const keys = chainAWallet('alice');

async function startDaemon(): Promise<MeasuredProcess & { readonly rpc: number }> {
  const [rpc, p2p] = [await freePort(), await freePort()];
  const args = [
    join(values.suite, 'apps/daemon/dist/main.js'),
    ...['--network', 'devnet', '--data-dir', data, '--log-level', '0', '--log-file', '', '--no-console', '--no-zmq'],
    ...['--rpc-bind-ip', '127.0.0.1', '--rpc-bind-port', String(rpc), '--rpc-max-rpm', '0'],
    ...['--p2p-bind-ip', '127.0.0.1', '--p2p-bind-port', String(p2p), '--load-checkpoints', checkpoints],
    ...['--add-exclusive-node', '127.0.0.1:1'],
  ];
  return { ...(await startProcess(process.execPath, args, async () => (await heightOf(rpc)) >= 0)), rpc };
}

interface Program {
  readonly name: string;
  readonly isObserved: boolean;
  readonly command: string;
  readonly args: (folder: string, port: number) => readonly string[];
}

function ours(name: string, tree: string, profile?: string): Program {
  const profiled = profile === undefined ? [] : ['--cpu-prof', `--cpu-prof-dir=${profile}`];
  return {
    ...{ name, isObserved: true, command: process.execPath },
    args: (folder, port) => [
      ...OBSERVED,
      ...profiled,
      join(tree, 'apps/wallet-api/dist/main.js'),
      ...['--network', 'devnet', '-r', PASSWORD, '-p', String(port), '--wallet-dir', folder, '--no-console'],
    ],
  };
}

function cpp(folder: string): Program {
  return {
    ...{ name: 'C++', isObserved: false, command: join(folder, 'wallet-api-devnet') },
    args: (_folder, port) => [
      ...['-r', PASSWORD, '-p', String(port), '--no-console', '--rpc-bind-ip', '127.0.0.1'],
      '--scan-coinbase-transactions',
    ],
  };
}

interface Round {
  readonly wall: number;
  readonly busy: number;
  readonly peak: number;
  readonly pause: number;
  readonly found: number;
}

async function round({ isObserved, command, args }: Program, daemonPort: number): Promise<Round> {
  const folder = mkdtempSync(join(values.directory, 'round-'));
  const port = await freePort();
  const begun = performance.now();
  // Responds with 403 until a wallet is open.
  const isUp = async (): Promise<boolean> =>
    fetch(`http://127.0.0.1:${String(port)}/status`, { headers: HEADERS }).then(
      () => true,
      () => false,
    );
  const wallet = await startProcess(command, args(folder, port), isUp);
  try {
    const pauseOf = (): Promise<number> => (isObserved ? longestPause(wallet.child) : Promise.resolve(NaN));
    await pauseOf();
    const response = await fetch(`http://127.0.0.1:${String(port)}/wallet/import/key`, {
      method: 'POST',
      headers: { ...HEADERS, 'Content-Type': 'application/json' },
      body: JSON.stringify({
        ...{ filename: join(folder, 'bench.wallet'), password: 'pw', scanHeight: 0 },
        ...{ daemonHost: '127.0.0.1', daemonPort, daemonSSL: false },
        ...{ privateViewKey: keys.viewSecret.toString('hex'), privateSpendKey: keys.spendSecret.toString('hex') },
      }),
    });
    if (!response.ok) throw new Error(`no wallet: ${String(response.status)} ${await response.text()}`);
    await until(async () => {
      const status = await getJson<{ walletBlockCount: number }>(port, '/status', HEADERS);
      return (status?.walletBlockCount ?? 0) >= blocks;
    });
    const wall = since(begun) / 1000;
    const { seconds: busy, peak } = usage(wallet.pid);
    const pause = await pauseOf();
    const history = await getJson<{ transactions: unknown[] }>(port, '/transactions', HEADERS);
    return { wall, busy, peak, pause, found: history?.transactions.length ?? 0 };
  } finally {
    await wallet.stop();
    rmSync(folder, { recursive: true });
  }
}

const middle = (rounds: readonly Round[], of: (one: Round) => number): number => median(rounds.map(of));

function print(name: string, rounds: readonly Round[]): void {
  const figures = [
    `${middle(rounds, ({ wall }) => wall).toFixed(2)} s`,
    `${middle(rounds, ({ busy }) => busy).toFixed(2)} s`,
    `${middle(rounds, ({ peak }) => peak).toFixed(0)} MiB`,
    Number.isNaN(rounds[0]?.pause) ? '-' : `${middle(rounds, ({ pause }) => pause).toFixed(0)} ms`,
    middle(rounds, ({ found }) => found),
  ];
  console.log(row(name, figures));
}

async function buildChain(): Promise<void> {
  if (existsSync(checkpoints)) return;
  rmSync(data, { recursive: true, force: true });
  mkdirSync(data, { recursive: true });
  const begun = performance.now();
  await buildFirstSyncChain(join(data, 'devnet'), {
    ...{ blocks, checkpointFile: `${checkpoints}.new` },
    progress: (height) => void (height % 5_000 === 0 && console.log(`built ${String(height)}`)),
    wallet: { viewPublic: keys.viewPublic, spendPublic: keys.spendPublic, everyNth: EVERY_NTH },
  });
  writeFileSync(checkpoints, readFileSync(`${checkpoints}.new`));
  console.log(`built ${String(blocks)} blocks in ${(since(begun) / 1000).toFixed(0)} s`);
}

async function main(): Promise<void> {
  console.log(machine());
  mkdirSync(values.directory, { recursive: true });
  await buildChain();
  const programs = [ours('ours', values.suite, values.profile)];
  if (values.compare !== undefined) programs.unshift(ours('before', values.compare));
  if (CPP !== undefined) programs.push(cpp(CPP));
  const results = new Map<string, Round[]>(programs.map(({ name }) => [name, []]));
  const daemon = await startDaemon();
  try {
    for (let i = 0; i < Number(values.rounds); i++) {
      for (const program of i % 2 === 0 ? programs : programs.toReversed()) {
        const one = await round(program, daemon.rpc);
        results.get(program.name)?.push(one);
      }
    }
  } finally {
    await daemon.stop();
  }
  console.log(row(`${values.blocks} blocks`, ['wall', 'processor', 'peak', 'pause', 'transactions']));
  for (const [name, rounds] of results) print(name, rounds);
  const own = results.get('ours') ?? [];
  for (const [name, rounds] of results) {
    if (name === 'ours') continue;
    const ratios = own.map(({ busy }, i) => (rounds[i]?.busy ?? NaN) / busy);
    console.log(row(`processor time, ${name} / ours`, [median(ratios).toFixed(2)]));
  }
}

runBench(main);
