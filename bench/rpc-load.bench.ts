/**
 * Short requests under load from `wrk` (one thread) over loopback: chain A on devnet, 16 and 256 connections, kept alive or
 * closed after each request.
 *
 *   node -r ./scripts/source-loader.cjs bench/rpc-load.bench.ts [--seconds 3] [--rounds 3] [--suite <folder>]
 *     [--compare <folder>] [-- <options of our daemon>]
 *
 * Responses per second, and microseconds of processor time of the daemon per response: medians of the rounds, in which the
 * daemons alternate. `--compare` is the built tree of an earlier commit. `CPP=<folder>`: the C++ daemon `<folder>/Wrkzd-devnet`
 * is measured, too. It has compiled-in seeds: run this with it only in a network namespace.
 */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { chainAWallet } from '@wrkz/testing';
import { freePort } from '../packages/testing/src/free-port';
import { DaemonProcess } from './support/daemon-process';
import { median, row, runBench } from './support/figures';
import { machine } from './support/machine';
import { heightOf, startProcess, until, usage } from './support/measured-process';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    seconds: { type: 'string', default: '3' },
    rounds: { type: 'string', default: '3' },
    suite: { type: 'string', default: join(__dirname, '..') },
    compare: { type: 'string' },
  },
});
const { CPP } = process.env;
const HEIGHT = 719;
const MINER = chainAWallet('alice').address;

interface Node {
  readonly name: string;
  readonly port: number;
  readonly pid: number;
  readonly stop: () => Promise<void>;
}

interface Load {
  readonly name: string;
  readonly path: string;
  /** A JSON-RPC request; without it GET. */
  readonly call?: object;
  readonly connection: 'keep-alive' | 'close';
}

const LOADS: readonly Load[] = [
  { name: '/height', path: '/height', connection: 'keep-alive' },
  { name: '/info', path: '/info', connection: 'keep-alive' },
  {
    ...{ name: 'getlastblockheader', path: '/json_rpc', connection: 'keep-alive' },
    call: { jsonrpc: '2.0', id: 1, method: 'getlastblockheader' },
  },
  {
    ...{ name: 'getblockheaderbyheight', path: '/json_rpc', connection: 'keep-alive' },
    call: { jsonrpc: '2.0', id: 1, method: 'getblockheaderbyheight', params: { height: 600 } },
  },
  {
    ...{ name: 'getblocktemplate', path: '/json_rpc', connection: 'keep-alive' },
    call: { jsonrpc: '2.0', id: 1, method: 'getblocktemplate', params: { wallet_address: MINER, reserve_size: 8 } },
  },
  { name: '/height, closed', path: '/height', connection: 'close' },
  { name: '/info, closed', path: '/info', connection: 'close' },
];

async function startOurs(name: string, tree: string, more: readonly string[]): Promise<Node & { peerPort: number }> {
  const daemon = await DaemonProcess.start(tree, more);
  const { pid, port, peerPort } = daemon;
  return { name, pid, port, peerPort, stop: daemon.stop };
}

/** The C++ daemon with the chain of a peer. */
async function startCpp(folder: string, peerPort: number): Promise<Node> {
  const data = mkdtempSync(join(tmpdir(), 'bench-cpp-'));
  const [port, p2p] = [await freePort(), await freePort()];
  const args = [
    ...['--data-dir', data, '--log-level', '0', '--log-file', join(data, 'log'), '--no-console'],
    ...['--rpc-bind-ip', '127.0.0.1', '--rpc-bind-port', String(port), '--p2p-bind-ip', '127.0.0.1'],
    ...['--p2p-bind-port', String(p2p), '--add-exclusive-node', `127.0.0.1:${String(peerPort)}`],
  ];
  const isReady = async (): Promise<boolean> => (await heightOf(port)) >= 0;
  const { pid, stop } = await startProcess(join(folder, 'Wrkzd-devnet'), args, isReady);
  await until(async () => (await heightOf(port)) >= HEIGHT);
  const end = async (): Promise<void> => {
    await stop();
    rmSync(data, { recursive: true });
  };
  return { name: 'C++', pid, port, stop: end };
}

/** @returns responses per second, and microseconds of processor time of each */
function measure({ pid, port }: Node, { path, call, connection }: Load, connections: number, script: string) {
  const body = call === undefined ? '' : `wrk.method = 'POST'; wrk.body = '${JSON.stringify(call)}'`;
  writeFileSync(script, body);
  const before = usage(pid).seconds;
  const args = [
    '-t1',
    `-c${String(connections)}`,
    `-d${values.seconds}`,
    '-s',
    script,
    '-H',
    `Connection: ${connection}`,
  ];
  const output = execFileSync('wrk', [...args, `http://127.0.0.1:${String(port)}${path}`], { encoding: 'utf8' });
  const responses = Number(/(\d+) requests in/.exec(output)?.[1]);
  const perSecond = Number(/Requests\/sec:\s+([\d.]+)/.exec(output)?.[1]);
  return { perSecond, microseconds: ((usage(pid).seconds - before) * 1e6) / responses };
}

async function main(): Promise<void> {
  console.log(machine());
  const folder = mkdtempSync(join(tmpdir(), 'bench-rpc-load-'));
  const nodes: Node[] = [];
  try {
    const ours = await startOurs('ours', values.suite, positionals);
    nodes.push(ours);
    if (values.compare !== undefined) nodes.unshift(await startOurs('before', values.compare, positionals));
    if (CPP !== undefined) nodes.push(await startCpp(CPP, ours.peerPort));
    for (const connections of [16, 256]) {
      const columns = nodes.flatMap(({ name }) => [`${name}, 1/s`, 'us']);
      console.log(row(`${String(connections)} connections`, columns));
      for (const load of LOADS) {
        const rounds = Array.from({ length: Number(values.rounds) }, () =>
          nodes.map((node) => measure(node, load, connections, join(folder, 'request.lua'))),
        );
        const figures = nodes.flatMap((_node, i) => {
          const own = rounds.map((round) => round[i] as ReturnType<typeof measure>);
          return [median(own.map(({ perSecond }) => perSecond)), median(own.map(({ microseconds }) => microseconds))];
        });
        console.log(row(load.name, figures));
      }
    }
  } finally {
    for (const node of nodes.toReversed()) await node.stop();
    rmSync(folder, { recursive: true });
  }
}

runBench(main);
