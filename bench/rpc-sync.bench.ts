/**
 * The daemon's RPC during a synchronization: a daemon without blocks downloads devnet chain A from another one over loopback,
 * while 16, then 64 clients send requests. Each in its own process, from the built tree.
 *
 *   node -r ./scripts/source-loader.cjs bench/rpc-sync.bench.ts [--syncs 5] [--pause 0] [--suite <folder>]
 *
 * Median and 99th percentile of the time to the whole response over all synchronizations, responses of status 500 and above,
 * blocks per second of the synchronization, and the longest pause of the daemon's event loop; for comparison a synchronization
 * without clients. `--pause` is the milliseconds that a client waits after a response. With 0 the clients take all processor
 * time, also that of the peer.
 */
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { DaemonProcess } from './support/daemon-process';
import { median, quantile, row, runBench, since } from './support/figures';
import { KeepAliveClient, requestBytes } from './support/keep-alive-client';
import { machine } from './support/machine';

const { values } = parseArgs({
  options: {
    syncs: { type: 'string', default: '5' },
    pause: { type: 'string', default: '0' },
    suite: { type: 'string', default: join(__dirname, '..') },
  },
});

const SYNC_BLOCKS = 20;
const between = Number(values.pause);
/** Milliseconds between two reads of the height. */
const LOOK_EVERY = 50;
/** Requests of each client before the synchronization begins. */
const WARMING = 200;

interface Kind {
  readonly name: string;
  /** Builds the request for a node with this number of blocks. */
  readonly bytes: (height: number) => Buffer;
}

const KINDS: readonly Kind[] = [
  { name: '/info', bytes: () => requestBytes('GET', '/info') },
  {
    name: `/getwalletsyncdata, ${SYNC_BLOCKS} blocks`,
    bytes: (height) =>
      requestBytes('POST', '/getwalletsyncdata', {
        blockCount: SYNC_BLOCKS,
        startHeight: 1 + Math.floor(Math.random() * Math.max(1, height - SYNC_BLOCKS)),
      }),
  },
];

interface Outcome {
  readonly times: number[];
  faults: number;
  blocksPerSecond: number;
  /** Seconds. */
  longestPause: number;
}

const json = async (port: number, path: string): Promise<Record<string, unknown>> =>
  (await (await fetch(`http://127.0.0.1:${String(port)}${path}`)).json()) as Record<string, unknown>;

/** One synchronization, with clients that send one kind of request. */
async function run(source: DaemonProcess, wanted: number, kind: Kind, clients: number): Promise<Outcome> {
  const outcome: Outcome = { times: [], faults: 0, blocksPerSecond: 0, longestPause: 0 };
  const more = ['--add-exclusive-node', `127.0.0.1:${String(source.peerPort)}`, '--enable-metrics'];
  source.pause();
  const daemon = await DaemonProcess.startEmpty(values.suite, more);
  try {
    let height = 1;
    let begun = 0;
    const open = Array.from({ length: clients }, () => new KeepAliveClient(daemon.port, true));
    await Promise.all(open.map((client) => warmUp(client, kind)));
    source.resume();
    const watch = async (): Promise<void> => {
      while (height < wanted) {
        await new Promise((resolve) => setTimeout(resolve, LOOK_EVERY));
        height = Number((await json(daemon.port, '/height'))['height']);
        if (begun > 0 || height <= 1) continue;
        await (await fetch(`http://127.0.0.1:${String(daemon.port)}/metrics`)).text(); // pauses count from here on
        begun = performance.now();
      }
    };
    const ask = async (client: KeepAliveClient): Promise<void> => {
      while (height < wanted) {
        const sent = performance.now();
        await client.ask(kind.bytes(height));
        if (begun > 0) outcome.times.push(since(sent));
        if (client.status >= 500) outcome.faults++;
        if (between > 0) await new Promise((resolve) => setTimeout(resolve, between * (0.5 + Math.random())));
      }
      client.close();
    };
    await Promise.all([watch(), ...open.map(ask)]);
    outcome.blocksPerSecond = wanted / (since(begun) / 1000);
    const text = await (await fetch(`http://127.0.0.1:${String(daemon.port)}/metrics`)).text();
    outcome.longestPause = Number(/^nodejs_eventloop_lag_max_seconds (\S+)$/m.exec(text)?.[1]);
  } finally {
    source.resume();
    await daemon.stop();
  }
  return outcome;
}

/** Warm-up: a node synchronizes for hours, so the first second of compilation does not count. */
async function warmUp(client: KeepAliveClient, kind: Kind): Promise<void> {
  for (let i = 0; i < WARMING; i++) await client.ask(kind.bytes(1));
}

async function main(): Promise<void> {
  const source = await DaemonProcess.start(values.suite);
  try {
    const wanted = Number((await json(source.port, '/height'))['height']);
    console.log(machine());
    console.log(`${String(wanted)} blocks, ${values.syncs} synchronizations each`);
    for (const kind of KINDS) {
      console.log(`\n${row(kind.name, ['requests', 'median', 'p99', '5xx', 'blocks/s', 'longest pause'])}`);
      for (const clients of [0, 16, 64]) {
        const all: Outcome[] = [];
        for (let i = 0; i < Number(values.syncs); i++) all.push(await run(source, wanted, kind, clients));
        const times = all.flatMap((one) => one.times);
        console.log(
          row(`${String(clients)} clients`, [
            times.length,
            `${median(times).toFixed(2)} ms`,
            `${quantile(times, 0.99).toFixed(2)} ms`,
            all.reduce((sum, one) => sum + one.faults, 0),
            median(all.map((one) => one.blocksPerSecond)),
            `${(Math.max(...all.map((one) => one.longestPause)) * 1000).toFixed(0)} ms`,
          ]),
        );
      }
    }
  } finally {
    await source.stop();
  }
}

runBench(main);
