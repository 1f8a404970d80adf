/**
 * The proposal listing under load: `taskset -c 1 npm run bench -- proposals` pins the clients to one core; the service has
 * another. 1,000 mixed requests per second for a minute: lists, pages, images, the feed, conditional requests. A latency
 * counts from the time at which a request was due, so it includes queueing.
 */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { Agent, request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { performance } from 'node:perf_hooks';
import { encodeAddress } from '@wrkz/core-types';
import { generateKeyPair } from '@wrkz/crypto';
import { freePort, Program } from '@wrkz/testing';
import { milliseconds, quantile, row, runBench, since } from './support/figures';
import { machine } from './support/machine';
import { usage } from './support/measured-process';

const SECONDS = Number(process.env['SECONDS'] ?? 60);
/** Before the measurement, for the compiler and the caches. */
const WARM_UP_SECONDS = 5;
const PER_SECOND = 1000;
const PROPOSALS = 200;
/** The core of the service. */
const CORE = '0';
const MAIN = join(__dirname, '../apps/proposals/dist/main.js');

const keys = { spendPublic: generateKeyPair().publicKey, viewPublic: generateKeyPair().publicKey };
const address = (i: number): string => encodeAddress({ ...keys, paymentId: i.toString(16).padStart(64, '0') });

const PARAGRAPH =
  'Some words about *what* is to be built, by whom and until **when**, with a [link](https://a.example/).\n\n';

function fill(folder: string): void {
  const files = join(folder, 'files');
  spawnSync('mkdir', [files]);
  for (let i = 1; i <= PROPOSALS; i++) {
    const fields = [`headline: Proposal number ${i} of many`, 'category: core', 'user: bench', `target: ${i * 1000}`];
    const front = [...fields, `address: ${address(i)}`, `status: ${(i % 4) + 1}`].join('\n');
    writeFileSync(join(files, `${i}.md`), `---\n${front}\n---\n${PARAGRAPH.repeat(20)}`);
  }
  const done = spawnSync(process.execPath, [MAIN, 'admin', 'import', files, '--data-dir', folder]);
  if (done.status !== 0) throw new Error(String(done.stderr));
}

interface Kind {
  readonly name: string;
  /** Out of a hundred requests. */
  readonly share: number;
  path(i: number): string;
  readonly headers?: Readonly<Record<string, string>>;
}

const KINDS: readonly Kind[] = [
  { name: 'list, 20 records', share: 30, path: (i) => `/api/1/proposals?status=${(i % 4) + 1}&offset=${i % 30}` },
  {
    name: 'list, gzip',
    share: 10,
    path: (i) => `/api/1/proposals?offset=${i % 30}`,
    headers: { 'accept-encoding': 'gzip' },
  },
  { name: 'front page', share: 15, path: (i) => `/?page=${(i % 10) + 1}` },
  { name: 'page of a proposal', share: 20, path: (i) => `/proposal/${(i % PROPOSALS) + 1}` },
  { name: 'QR, drawn before', share: 10, path: (i) => `/api/1/qr?address=${address((i % PROPOSALS) + 1)}` },
  { name: 'QR, new', share: 2, path: (i) => `/api/1/qr?address=${address(1_000_000 + i)}` },
  { name: 'QR of a page, SVG', share: 5, path: (i) => `/proposal/${(i % PROPOSALS) + 1}/qr.svg` },
  { name: 'feed', share: 3, path: () => '/feed.xml' },
  { name: 'readiness', share: 5, path: () => '/readyz' },
];

const agent = new Agent({ keepAlive: true, maxSockets: 64 });

/** Sends one request. @returns the status, after the whole response */
function send(port: number, { path, headers = {} }: { path: string; headers?: Kind['headers'] }): Promise<number> {
  return new Promise((resolve, reject) => {
    const sent = request({ host: '127.0.0.1', port, path, headers: { ...headers }, agent }, (response) => {
      response.resume();
      response.once('end', () => resolve(response.statusCode ?? 0));
      response.once('error', reject);
    });
    sent.once('error', reject);
    sent.end();
  });
}

runBench(async () => {
  console.log(machine());
  const folder = mkdtempSync(join(tmpdir(), 'bench-proposals-'));
  fill(folder);
  const port = await freePort();
  const options = ['--data-dir', folder, '--bind-port', String(port), '--rate-limit', '0', '--qr-limit', '0'];
  const command = ['taskset', '-c', CORE, process.execPath, MAIN, ...options];
  const program = new Program('the service', () => command, { ready: /listens on/ });
  try {
    await program.start();
    await load(port, program.pid ?? 0, WARM_UP_SECONDS);
    report(await load(port, program.pid ?? 0, SECONDS));
  } finally {
    await program.stop('SIGTERM');
    rmSync(folder, { recursive: true });
  }
});

interface Outcome {
  readonly latencies: ReadonlyMap<Kind, readonly number[]>;
  readonly statuses: ReadonlyMap<string, number>;
  readonly seconds: number;
  /** Seconds of processor time of the service. */
  readonly busy: number;
}

async function load(port: number, pid: number, duration: number): Promise<Outcome> {
  const schedule = KINDS.flatMap((kind) => Array.from({ length: kind.share }, () => kind));
  const latencies = new Map<Kind, number[]>(KINDS.map((kind) => [kind, []]));
  const statuses = new Map<string, number>();
  const busyBefore = usage(pid).seconds;
  const start = performance.now();
  const open: Promise<void>[] = [];
  for (let sent = 0; sent < duration * PER_SECOND;) {
    const due = Math.min(duration * PER_SECOND, Math.floor((since(start) / 1000) * PER_SECOND));
    for (; sent < due; sent++) {
      // A step coprime to 100 mixes the kinds.
      const kind = schedule[(sent * 37) % 100] as Kind;
      const dueAt = start + (sent * 1000) / PER_SECOND;
      const response = send(port, { path: kind.path(sent), headers: kind.headers ?? {} }).then(
        (status) => String(status),
        (error: Error) => error.message,
      );
      open.push(
        response.then((status) => {
          statuses.set(status, (statuses.get(status) ?? 0) + 1);
          latencies.get(kind)?.push(performance.now() - dueAt);
        }),
      );
    }
    await new Promise((resolve) => setTimeout(resolve, 1));
  }
  await Promise.all(open);
  const seconds = since(start) / 1000;
  return { latencies, statuses, seconds, busy: usage(pid).seconds - busyBefore };
}

function report({ latencies, statuses, seconds, busy }: Outcome): void {
  const all = [...latencies.values()].flat();
  console.log(row('requests a second', [all.length / seconds]));
  console.log(row('responses by status', [[...statuses].map(([status, count]) => `${status}: ${count}`).join(', ')]));
  console.log(row('processor time of the service', [`${((100 * busy) / seconds).toFixed(0)} %`]));
  console.log(row('', ['median', 'p99', 'longest']));
  const figures = (values: readonly number[]) => [0.5, 0.99, 1].map((share) => milliseconds(quantile(values, share)));
  console.log(row('all', figures(all)));
  for (const [kind, values] of latencies) console.log(row(kind.name, figures(values)));
}
