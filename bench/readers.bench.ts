/**
 * Two reader processes (`serve-rpc`) beside a node on devnet chain A, each in a process of its own, the built tree:
 * requests per second against the node alone and against the readers, and the share of a processor that the clients take (at
 * 100 % they are the bottleneck); whether both return the same bytes; how long after the node a reader shows a reorganisation.
 * Then a node without blocks synchronizes on processor 0, while readers, clients and its peer share processor 1, where the peer
 * has priority: blocks per second with and without clients, alternating, in pairs.
 *
 *   node -r ./scripts/source-loader.cjs bench/readers.bench.ts [--seconds 2] [--rounds 5] [--clients 16] [--suite <folder>]
 *
 * It takes about two minutes. Without two processors or without taskset the last part is omitted.
 */
import { randomInt } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { availableParallelism, setPriority, tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { chainAWallet } from '../packages/testing/src/test-wallet';
import { DaemonProcess, pin } from './support/daemon-process';
import { median, milliseconds, quantile, row, runBench, since } from './support/figures';
import { KeepAliveClient, requestBytes } from './support/keep-alive-client';
import { machine } from './support/machine';
import { ReaderProcess } from './support/reader-process';

const { values } = parseArgs({
  options: {
    seconds: { type: 'string', default: '2' },
    rounds: { type: 'string', default: '5' },
    clients: { type: 'string', default: '16' },
    suite: { type: 'string', default: join(__dirname, '..') },
  },
});
const seconds = Number(values.seconds);
const rounds = Number(values.rounds);
const clients = Number(values.clients);
const SYNC_BLOCKS = 20;
/** Max milliseconds of a synchronization or a reorganisation. */
const TIMEOUT_MS = 60_000;
/** The peer would be another machine. Here it shares a processor with readers and clients, which have a lower priority. */
const GIVING_WAY = 10;
const { address } = chainAWallet('alice');

const syncQuery = (start: number): Buffer =>
  requestBytes('POST', '/getwalletsyncdata', { startHeight: start, blockCount: SYNC_BLOCKS });

const KINDS = [
  { name: '/info', bytes: (_height: number): Buffer => requestBytes('GET', '/info') },
  {
    name: `/getwalletsyncdata, ${String(SYNC_BLOCKS)} blocks`,
    bytes: (height: number): Buffer => syncQuery(1 + randomInt(Math.max(1, height - SYNC_BLOCKS))),
  },
] as const;

interface Info {
  readonly height: number;
  readonly top_block_hash: string;
}

const text = async (port: number, path: string, body?: object): Promise<string> => {
  const init = body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) };
  return (await fetch(`http://127.0.0.1:${String(port)}${path}`, init)).text();
};
const info = async (port: number): Promise<Info> => JSON.parse(await text(port, '/info')) as Info;
const generate = (port: number, count: number): Promise<string> =>
  text(port, '/json_rpc', { method: 'generateblocks', params: { wallet_address: address, count } });

/** Sends requests to all ports, with this number of clients in total, until `over` returns true. @returns the responses */
async function ask(ports: readonly number[], bytes: () => Buffer, over: () => boolean): Promise<number> {
  let responses = 0;
  await Promise.all(
    Array.from({ length: clients }, async (_, i) => {
      const client = new KeepAliveClient(ports[i % ports.length] ?? 0, true);
      while (!over()) {
        await client.ask(bytes());
        if (client.status === 200) responses++;
      }
      client.close();
    }),
  );
  return responses;
}

/** A node with a local socket, its readers, and a function that stops all. */
interface Group {
  readonly node: DaemonProcess;
  readonly readers: readonly ReaderProcess[];
  readonly stop: () => Promise<void>;
}

async function group(start: (more: readonly string[]) => Promise<DaemonProcess>, nice = 0): Promise<Group> {
  const folder = mkdtempSync(join(tmpdir(), 'bench-readers-'));
  const socket = join(folder, 'node.sock');
  const node = await start(['--rpc-ipc-path', socket]);
  const beside = (): Promise<ReaderProcess> => ReaderProcess.start(values.suite, node.dataDirectory, socket, nice);
  const readers = [await beside(), await beside()];
  const stop = async (): Promise<void> => {
    await Promise.all(readers.map((reader) => reader.stop()));
    await node.stop();
    rmSync(folder, { recursive: true });
  };
  return { node, readers, stop };
}

async function throughput({ node, readers }: Group): Promise<void> {
  const { height } = await info(node.port);
  const columns = ['the node', 'two readers', 'ratio', 'callers busy'];
  console.log(`\n${row(`responses per second, ${String(clients)} clients`, columns)}`);
  for (const kind of KINDS) {
    const rate = async (ports: readonly number[]): Promise<number> => {
      const begun = performance.now();
      const over = (): boolean => since(begun) >= seconds * 1000;
      return ((await ask(ports, () => kind.bytes(height), over)) * 1000) / since(begun);
    };
    const ports = readers.map(({ port }) => port);
    const pairs: [number, number][] = [];
    const busy: number[] = [];
    // The first pair warms up.
    for (let i = 0; i < 3; i++) {
      const alone = await rate([node.port]);
      const [begun, before] = [performance.now(), process.cpuUsage()];
      pairs.push([alone, await rate(ports)]);
      const { user, system } = process.cpuUsage(before);
      busy.push((user + system) / 1000 / since(begun));
    }
    const counted = pairs.slice(1);
    const ratio = median(counted.map(([alone, both]) => both / alone));
    console.log(
      row(kind.name, [
        median(counted.map(([alone]) => alone)),
        median(counted.map(([, both]) => both)),
        ratio.toFixed(2),
        `${(100 * median(busy)).toFixed(0)} %`,
      ]),
    );
  }
}

async function equality({ node, readers }: Group): Promise<void> {
  const { height } = await info(node.port);
  let compared = 0;
  for (let start = 1; start < height; start += SYNC_BLOCKS) {
    const body = { startHeight: start, blockCount: SYNC_BLOCKS };
    for (const path of ['/getwalletsyncdata', '/getrawblocks']) {
      const wanted = await text(node.port, path, body);
      for (const { port } of readers) {
        if ((await text(port, path, body)) !== wanted) throw new Error(`${path} from ${String(start)} differs`);
        compared++;
      }
    }
  }
  for (const path of ['/info', '/height', '/peers', '/fee']) {
    const wanted = await text(node.port, path);
    for (const { port } of readers) if ((await text(port, path)) !== wanted) throw new Error(`${path} differs`);
  }
  console.log(`\n${row('responses compared, all equal', [compared])}`);
}

/** A peer sends a heavier branch: milliseconds from the node's first response with it to the first of each reader. */
async function reorganisation({ node, readers }: Group): Promise<void> {
  await generate(node.port, 2);
  node.pause();
  const other = await DaemonProcess.start(values.suite, ['--add-exclusive-node', `127.0.0.1:${String(node.peerPort)}`]);
  try {
    await generate(other.port, 4);
    const { top_block_hash: heavier } = await info(other.port);
    node.resume();
    const limit = performance.now() + TIMEOUT_MS;
    const shown = async (port: number): Promise<number> => {
      while ((await info(port)).top_block_hash !== heavier) {
        if (performance.now() > limit) throw new Error('no reorganisation came');
        await new Promise((later) => setTimeout(later, 2));
      }
      return performance.now();
    };
    const [atNode = 0, ...atReaders] = await Promise.all([node, ...readers].map(({ port }) => shown(port)));
    console.log(
      `\n${row(
        'reorganisation, after the node',
        atReaders.map((at) => milliseconds(at - atNode)),
      )}`,
    );
  } finally {
    node.resume();
    await other.stop();
  }
}

/** Blocks per second of one synchronization on processor 0. */
async function synchronize(
  source: DaemonProcess,
  wanted: number,
  loaded: boolean,
): Promise<{ rate: number; responses: number }> {
  source.pause();
  const peer = ['--add-exclusive-node', `127.0.0.1:${String(source.peerPort)}`];
  const all = await group((more) => DaemonProcess.startEmpty(values.suite, [...peer, ...more]), GIVING_WAY);
  try {
    all.node.pinTo(0);
    for (const reader of all.readers) reader.pinTo(1);
    const ports = all.readers.map(({ port }) => port);
    let height = 1;
    let begun = 0;
    source.resume();
    const limit = performance.now() + TIMEOUT_MS;
    const watch = async (): Promise<void> => {
      while (height < wanted) {
        if (performance.now() > limit) throw new Error('the synchronization does not end');
        await new Promise((later) => setTimeout(later, 20));
        // The node itself, so that both variants are polled alike.
        ({ height } = await info(all.node.port));
        if (begun === 0 && height > 1) begun = performance.now();
      }
    };
    const load = loaded
      ? ask(
          ports,
          () => syncQuery(1 + randomInt(Math.max(1, height))),
          () => height >= wanted,
        )
      : 0;
    const [, responses] = await Promise.all([watch(), load]);
    return { rate: (wanted * 1000) / since(begun), responses };
  } finally {
    source.resume();
    await all.stop();
  }
}

async function pinned(): Promise<void> {
  if (availableParallelism() < 2) return console.log('\nno second processor: the synchronization is left out');
  const source = await DaemonProcess.start(values.suite);
  try {
    pin(process.pid, 1);
    setPriority(GIVING_WAY);
    source.pinTo(1);
    const { height } = await info(source.port);
    await synchronize(source, height, true);
    const ratios: number[] = [];
    console.log(`\n${row('node on processor 0, rest on 1', ['alone', 'with clients', 'ratio', 'responses'])}`);
    for (let i = 0; i < rounds; i++) {
      const first = await synchronize(source, height, i % 2 === 1);
      const second = await synchronize(source, height, i % 2 === 0);
      const [quiet, loaded] = i % 2 === 1 ? [second, first] : [first, second];
      ratios.push(loaded.rate / quiet.rate);
      console.log(
        row(`blocks a second, pair ${String(i + 1)}`, [
          quiet.rate,
          loaded.rate,
          (loaded.rate / quiet.rate).toFixed(3),
          loaded.responses,
        ]),
      );
    }
    const spread = `${quantile(ratios, 0).toFixed(3)} - ${quantile(ratios, 1).toFixed(3)}`;
    console.log(row('median, and least to most', [median(ratios).toFixed(3), spread]));
  } finally {
    await source.stop();
  }
}

async function main(): Promise<void> {
  console.log(machine());
  const all = await group((more) => DaemonProcess.start(values.suite, more));
  try {
    await throughput(all);
    await equality(all);
    await reorganisation(all);
  } finally {
    await all.stop();
  }
  await pinned();
}

runBench(main);
