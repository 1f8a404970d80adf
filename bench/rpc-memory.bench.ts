/**
 * The daemon's memory when idle and under requests of every kind: each recorded request for devnet chain A, repeatedly, from 16
 * kept-alive clients.
 *
 *   node -r ./scripts/source-loader.cjs bench/rpc-memory.bench.ts [--requests 100000] [--suite <folder>]
 *
 * Resident megabytes after each tenth of the requests, and the growth in the last half: a process that leaks grows in every
 * tenth.
 */
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { readJsonLines } from '../packages/testing/src/fixtures';
import { DaemonProcess } from './support/daemon-process';
import { row, runBench, since } from './support/figures';
import { KeepAliveClient } from './support/keep-alive-client';
import { machine } from './support/machine';
import { usage } from './support/measured-process';

const { values } = parseArgs({
  options: {
    requests: { type: 'string', default: '100000' },
    suite: { type: 'string', default: join(__dirname, '..') },
  },
});

const CLIENTS = 16;
const PARTS = 10;
/** Time for the garbage of the start to be collected. */
const REST_MS = 5_000;

interface Recorded {
  readonly method: string;
  readonly path: string;
  readonly body: string | null;
  readonly status: number | null;
  readonly requestHeaders?: Readonly<Record<string, string>>;
}

/** Requests whose response has a body, so that the client knows its end. */
function recordedRequests(): Buffer[] {
  return readJsonLines<Recorded>('devnet/chain-a-rpc.jsonl')
    .filter(({ method, status }) => status !== null && (method === 'GET' || method === 'POST'))
    .map(({ method, path, body, requestHeaders = {} }) => {
      const headers = { Host: '127.0.0.1', 'Content-Length': String(Buffer.byteLength(body ?? '')), ...requestHeaders };
      const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
      return Buffer.from(`${method} ${path} HTTP/1.1\r\n${lines.join('')}\r\n${body ?? ''}`);
    });
}

const rest = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, REST_MS));

async function main(): Promise<void> {
  const requests = recordedRequests();
  const wanted = Number(values.requests);
  const daemon = await DaemonProcess.start(values.suite, ['--daemon-mode', 'explorer']);
  try {
    console.log(machine());
    const memory = (): number => usage(daemon.pid).resident;
    await rest();
    console.log(row('requests', ['resident MiB', 'requests/s']));
    const first = memory();
    console.log(row('0 (at rest)', [first, '']));
    const clients = Array.from({ length: CLIENTS }, () => new KeepAliveClient(daemon.port, true));
    const figures: number[] = [];
    let sent = 0;
    for (let part = 1; part <= PARTS; part++) {
      const start = performance.now();
      const until = (wanted * part) / PARTS;
      const before = sent;
      await Promise.all(
        clients.map(async (client) => {
          while (sent < until) await client.ask(requests[sent++ % requests.length] as Buffer);
        }),
      );
      figures.push(memory());
      console.log(row(sent.toLocaleString('en-US'), [memory(), (sent - before) / (since(start) / 1000)]));
    }
    for (const client of clients) client.close();
    await rest();
    console.log(row('at rest again', [memory(), '']));
    console.log(
      row('added by the last half', [`${((figures.at(-1) ?? 0) - (figures[PARTS / 2 - 1] ?? 0)).toFixed(1)}`, '']),
    );
  } finally {
    await daemon.stop();
  }
}

runBench(main);
