/**
 * How long an honest wallet waits behind clients that have disconnected or request large responses.
 *
 *   node -r ./scripts/source-loader.cjs bench/disconnected-clients.bench.ts [--rounds 5] [--abandoned 240] [--staying 8]
 *                                                             [--suite <folder>] [--compare <folder>]
 *
 * The daemon with devnet chain A in a process of its own. A round is three waits for `/getwalletsyncdata` (20 blocks), in
 * milliseconds: alone; right after `--abandoned` connections sent the largest `/getrandom_outs` and disconnected; and while
 * `--staying` connections wait for such a response. Medians. `--compare` is the built tree to compare with.
 */
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { DaemonProcess } from './support/daemon-process';
import { median, milliseconds, row, runBench, since } from './support/figures';
import { KeepAliveClient, requestBytes } from './support/keep-alive-client';
import { machine } from './support/machine';

const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '5' },
    abandoned: { type: 'string', default: '240' },
    staying: { type: 'string', default: '8' },
    suite: { type: 'string', default: join(__dirname, '..') },
    compare: { type: 'string' },
  },
});

/** An amount with many outputs on chain A: as many as one request may have, in a response of up to 8 MiB. */
const OUTS = { amounts: Array.from({ length: 1_000 }, () => 1_000_000), outs_count: 60 };
const LONG = requestBytes('POST', '/getrandom_outs', OUTS);
const SYNC = requestBytes('POST', '/getwalletsyncdata', { startHeight: 600, blockCount: 20 });

async function wait(daemon: DaemonProcess): Promise<number> {
  const client = new KeepAliveClient(daemon.port);
  const start = performance.now();
  await client.ask(SYNC);
  const time = since(start);
  client.close();
  return time;
}

async function sendLong(daemon: DaemonProcess): Promise<Socket> {
  const socket = connect({ host: '127.0.0.1', port: daemon.port });
  socket.on('error', () => undefined);
  await once(socket, 'connect');
  socket.resume();
  await new Promise<void>((resolve) => socket.write(LONG, () => resolve()));
  return socket;
}

interface Round {
  readonly alone: number;
  readonly abandoned: number;
  readonly staying: number;
}

async function round(daemon: DaemonProcess): Promise<Round> {
  const alone = await wait(daemon);
  const left: Socket[] = [];
  for (let i = 0; i < Number(values.abandoned); i++) left.push(await sendLong(daemon));
  for (const socket of left) socket.destroy();
  const abandoned = await wait(daemon);
  const staying: Socket[] = [];
  for (let i = 0; i < Number(values.staying); i++) staying.push(await sendLong(daemon));
  const beside = await wait(daemon);
  for (const socket of staying) socket.destroy();
  return { alone, abandoned, staying: beside };
}

async function measure(name: string, tree: string): Promise<void> {
  const daemon = await DaemonProcess.start(tree);
  try {
    await wait(daemon);
    const rounds: Round[] = [];
    for (let i = 0; i < Number(values.rounds); i++) rounds.push(await round(daemon));
    const middle = (of: keyof Round): string => milliseconds(median(rounds.map((one) => one[of])));
    console.log(row(name, [middle('alone'), middle('abandoned'), middle('staying')]));
  } finally {
    await daemon.stop();
  }
}

async function main(): Promise<void> {
  console.log(machine());
  const columns = ['alone', `${values.abandoned} have left`, `${values.staying} wait`];
  console.log(`\n${row('an honest sync waits', columns)}`);
  if (values.compare !== undefined) await measure('before', values.compare);
  await measure('after', values.suite);
}

runBench(main);
