/**
 * The first synchronisation over loopback: a node with a chain of mainnet-shaped blocks, checkpoints over its first 90 %,
 * and an empty node that downloads it.
 *
 *   node -r ./scripts/source-loader.cjs bench/first-sync.bench.ts [--blocks 20000] [--peers 1] [--rounds 3]
 *     [--directory <where>] [--suite <folder>] [--compare <folder>] [--profile <folder>]
 *
 * Blocks per second of wall clock and of processor time of the empty node, its peak of resident memory, and the processor
 * time of the node that serves. The chain is built once in `--directory` and used again. `CPP=<folder>`: after each round the
 * C++ daemon `<folder>/Wrkzd-devnet` does the same. It has compiled-in seeds: run this with it only in a network namespace.
 */
import { cpSync, existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { freePort } from '../packages/testing/src/free-port';
import { median, row, runBench, since } from './support/figures';
import { buildFirstSyncChain } from './support/first-sync-chain';
import { machine } from './support/machine';
import { heightOf, type MeasuredProcess, startProcess, until, usage } from './support/measured-process';

const { values } = parseArgs({
  options: {
    blocks: { type: 'string', default: '20000' },
    peers: { type: 'string', default: '1' },
    rounds: { type: 'string', default: '3' },
    directory: { type: 'string', default: join(tmpdir(), 'bench-first-sync') },
    suite: { type: 'string', default: join(__dirname, '..') },
    compare: { type: 'string' },
    profile: { type: 'string' },
  },
});
const { CPP } = process.env;

const blocks = Number(values.blocks);
const chainFolder = join(values.directory, `chain-${values.blocks}`);
const checkpoints = join(values.directory, `checkpoints-${values.blocks}.csv`);

interface Node extends MeasuredProcess {
  readonly rpc: number;
  readonly p2p: number;
}

async function start(command: string, args: readonly string[], ports: { rpc: number; p2p: number }): Promise<Node> {
  const started = await startProcess(command, args, async () => (await heightOf(ports.rpc)) >= 0);
  return { ...started, ...ports };
}

async function ports(): Promise<{ rpc: number; p2p: number }> {
  return { rpc: await freePort(), p2p: await freePort() };
}

async function startOurs(tree: string, data: string, peers: readonly Node[], profile = false): Promise<Node> {
  const own = await ports();
  const noPeers = ['--add-exclusive-node', '127.0.0.1:1'];
  const profiled = profile && values.profile !== undefined ? ['--cpu-prof', `--cpu-prof-dir=${values.profile}`] : [];
  return start(
    process.execPath,
    [
      ...profiled,
      join(tree, 'apps/daemon/dist/main.js'),
      ...['--network', 'devnet', '--data-dir', data, '--log-level', '0', '--log-file', '', '--no-console', '--no-zmq'],
      ...['--rpc-bind-ip', '127.0.0.1', '--rpc-bind-port', String(own.rpc), '--rpc-max-rpm', '0'],
      ...['--p2p-bind-ip', '127.0.0.1', '--p2p-bind-port', String(own.p2p), '--load-checkpoints', checkpoints],
      ...(peers.length === 0
        ? noPeers
        : peers.flatMap(({ p2p }) => ['--add-exclusive-node', `127.0.0.1:${String(p2p)}`])),
    ],
    own,
  );
}

async function startCpp(folder: string, data: string, peers: readonly Node[]): Promise<Node> {
  const own = await ports();
  return start(
    join(folder, 'Wrkzd-devnet'),
    [
      ...['--data-dir', data, '--log-level', '0', '--log-file', join(data, 'log'), '--no-console'],
      ...['--rpc-bind-ip', '127.0.0.1', '--rpc-bind-port', String(own.rpc)],
      ...['--p2p-bind-ip', '127.0.0.1', '--p2p-bind-port', String(own.p2p), '--load-checkpoints', checkpoints],
      ...peers.flatMap(({ p2p }) => ['--add-exclusive-node', `127.0.0.1:${String(p2p)}`]),
    ],
    own,
  );
}

interface Round {
  readonly seconds: number;
  readonly busy: number;
  readonly peak: number;
  readonly serving: number;
}

async function round(begin: (data: string, peers: readonly Node[]) => Promise<Node>): Promise<Round> {
  const folder = mkdtempSync(join(values.directory, 'round-'));
  const peers: Node[] = [];
  try {
    for (let i = 0; i < Number(values.peers); i++) {
      const data = join(folder, `peer-${String(i)}`);
      mkdirSync(data);
      cpSync(chainFolder, join(data, 'devnet'), { recursive: true });
      peers.push(await startOurs(values.suite, data, []));
    }
    const data = join(folder, 'empty');
    mkdirSync(data);
    const served = peers.map(({ pid }) => usage(pid).seconds);
    const begun = performance.now();
    const node = await begin(data, peers);
    await until(async () => (await heightOf(node.rpc)) >= blocks);
    const seconds = since(begun) / 1000;
    const { seconds: busy, peak } = usage(node.pid);
    await node.stop();
    const serving = peers.reduce((sum, { pid }, i) => sum + usage(pid).seconds - (served[i] ?? 0), 0);
    return { seconds, busy, peak, serving };
  } finally {
    await Promise.all(peers.map((peer) => peer.stop()));
    rmSync(folder, { recursive: true });
  }
}

function print(name: string, rounds: readonly Round[]): void {
  const middle = (of: (one: Round) => number): number => median(rounds.map(of));
  const figures = [
    blocks / middle(({ seconds }) => seconds),
    blocks / middle(({ busy }) => busy),
    middle(({ peak }) => peak),
    middle(({ serving }) => serving),
  ];
  console.log(
    row(
      name,
      figures.map((figure) => figure.toFixed(figure < 100 ? 1 : 0)),
    ),
  );
}

async function main(): Promise<void> {
  console.log(machine());
  mkdirSync(values.directory, { recursive: true });
  if (!existsSync(checkpoints)) {
    rmSync(chainFolder, { recursive: true, force: true });
    const begun = performance.now();
    const progress = (height: number): void => void (height % 5_000 === 0 && console.log(`built ${String(height)}`));
    await buildFirstSyncChain(chainFolder, { blocks, checkpointFile: checkpoints, progress });
    console.log(`built ${String(blocks)} blocks in ${(since(begun) / 1000).toFixed(0)} s`);
  }
  const programs: [string, (data: string, peers: readonly Node[]) => Promise<Node>][] = [
    ['ours', (data, peers) => startOurs(values.suite, data, peers, true)],
  ];
  const { compare } = values;
  if (compare !== undefined) programs.unshift(['before', (data, peers) => startOurs(compare, data, peers)]);
  if (CPP !== undefined) programs.push(['C++', (data, peers) => startCpp(CPP, data, peers)]);
  const results = new Map<string, Round[]>(programs.map(([name]) => [name, []]));
  for (let i = 0; i < Number(values.rounds); i++) {
    for (const [name, begin] of i % 2 === 0 ? programs : [...programs].reverse()) {
      results.get(name)?.push(await round(begin));
    }
  }
  console.log(row(`${values.peers} peer(s)`, ['blocks/s', 'blocks/cpu s', 'peak MiB', 'serving cpu s']));
  for (const [name, rounds] of results) print(name, rounds);
}

runBench(main);
