/**
 * The proof-of-work helper against bare native calls: `npm run bench -- pow-helper`. Both search nonces of one transaction
 * at difficulty 66,000, alternating. A rate counts from the request to its response, so it includes all that the service adds.
 */
import { buildExtra, encodeTransactionPrefix, networkOf, POW_NONCE_SIZE } from '@wrkz/core-types';
import { transactionPowDifficulty, transactionPowSearch } from '@wrkz/consensus';
import { generateKeyPair, hardwareThreads, searchNonce } from '@wrkz/crypto';
import { PowHelper, readPowHelperConfig } from '@wrkz/pow-helper';
import { median, milliseconds, quantile, row, runBench, since } from './support/figures';
import { machine } from './support/machine';

const ROUNDS = 5;
/** Minimum time and minimum number of jobs of a measurement. */
const JOBS_MS = 60_000;
const LEAST_JOBS = 5;
const HEALTH_REQUESTS = 300;
const CANCELS = 25;
/** The current rules. */
const HEIGHT = 4_213_650;

interface Shape {
  readonly inputs: number;
  readonly outputs: number;
}
/** Its difficulty is 66,000. */
const USUAL: Shape = { inputs: 2, outputs: 6 };
/** Its difficulty is 800,000: it does not end during another measurement. */
const LONG: Shape = { inputs: 400, outputs: 90 };

/** A unique prefix per call. */
function makePrefix({ inputs, outputs }: Shape): { prefix: Buffer; difficulty: bigint } {
  const { publicKey } = generateKeyPair();
  const fields = {
    version: 1,
    unlockTime: 0n,
    inputs: Array.from({ length: inputs }, (_, i) => ({
      type: 'key' as const,
      amount: 1000n,
      keyOffsets: [i + 1],
      keyImage: publicKey,
    })),
    outputs: Array.from({ length: outputs }, () => ({ amount: 10n, key: publicKey })),
    extra: buildExtra({ publicKey, powNonce: Buffer.alloc(POW_NONCE_SIZE) }),
  };
  return {
    prefix: encodeTransactionPrefix(fields),
    difficulty: transactionPowDifficulty(fields, networkOf('mainnet'), HEIGHT),
  };
}

function search(shape: Shape, threads: number, signal?: AbortSignal): ReturnType<typeof searchNonce> {
  const { prefix, difficulty } = makePrefix(shape);
  return searchNonce({ ...transactionPowSearch(prefix, difficulty), threads, ...(signal && { signal }) });
}

interface Job {
  readonly job_id: string;
  readonly state: string;
  readonly hashes: number;
}

class Helper {
  private constructor(
    private readonly helper: PowHelper,
    readonly url: string,
  ) {}

  static async start(threads: number): Promise<Helper> {
    const limits = ['--rate-limit', '0', '--max-jobs-per-minute', '0', '--max-difficulty', '10000000'];
    const config = readPowHelperConfig(['--log-level', 'disabled', '--threads', String(threads), ...limits]);
    const helper = new PowHelper(config, { port: 0 });
    await helper.start();
    return new Helper(helper, `http://127.0.0.1:${helper.port}`);
  }

  async submit(shape: Shape): Promise<Job> {
    const body = JSON.stringify({ prefix: makePrefix(shape).prefix.toString('hex'), height: HEIGHT });
    return this.ask('/pow', { method: 'POST', body });
  }

  async solve(): Promise<Job> {
    let job = await this.submit(USUAL);
    while (job.state !== 'done') job = await this.ask(`/pow/${job.job_id}?wait_ms=60000`);
    return job;
  }

  async ask(path: string, init: RequestInit = {}): Promise<Job> {
    const response = await fetch(this.url + path, init);
    const text = await response.text();
    if (!response.ok) throw new Error(`${path}: ${response.status} ${text}`);
    return JSON.parse(text) as Job;
  }

  stop(): Promise<void> {
    return this.helper.stop();
  }
}

/** Hashes per second of wall clock, and per second of processor time, which other load disturbs less. */
interface Rate {
  readonly wall: number;
  readonly busy: number;
}

/** The rate of one search, from the call to its result. */
async function rate(find: () => Promise<{ readonly hashes: number | bigint } | null>): Promise<Rate> {
  const [start, before] = [performance.now(), process.cpuUsage()];
  const hashes = Number((await find())?.hashes ?? 0);
  const wall = since(start);
  const { user, system } = process.cpuUsage(before);
  return { wall: (hashes * 1e3) / wall, busy: (hashes * 1e6) / (user + system) };
}

async function rates(threads: number): Promise<void> {
  const helper = await Helper.start(threads);
  const bare: Rate[] = [];
  const served: Rate[] = [];
  const turns: [Rate[], () => Promise<Rate>][] = [
    [bare, () => rate(() => search(USUAL, threads))],
    [served, () => rate(() => helper.solve())],
  ];
  for (let round = 0; round < ROUNDS; round++) {
    for (const [into, turn] of round % 2 === 0 ? turns : [...turns].reverse()) into.push(await turn());
  }
  await helper.stop();
  for (const [kind, name] of [
    ['wall', `${threads} thread${threads === 1 ? '' : 's'}`],
    ['busy', '  per busy second'],
  ] as const) {
    const [native, service] = [bare, served].map((all) => median(all.map((one) => one[kind])));
    const loss = `${((1 - (service ?? 0) / (native ?? 1)) * 100).toFixed(1)} %`;
    console.log(row(name, [native ?? 0, service ?? 0, loss]));
  }
}

async function jobTimes(threads: number): Promise<void> {
  const helper = await Helper.start(threads);
  const times: number[] = [];
  const begin = performance.now();
  while (times.length < LEAST_JOBS || since(begin) < JOBS_MS) {
    const start = performance.now();
    await helper.solve();
    times.push(since(start));
  }
  console.log(
    row(`${times.length} jobs at 66,000, ${threads} threads`, [
      milliseconds(median(times)),
      milliseconds(quantile(times, 0.9)),
    ]),
  );
  await helper.stop();
}

async function health(threads: number): Promise<void> {
  const helper = await Helper.start(threads);
  await helper.submit(LONG);
  const { job_id: last } = await helper.submit(LONG);
  const times: number[] = [];
  for (let i = 0; i < HEALTH_REQUESTS; i++) {
    const start = performance.now();
    await helper.ask('/health');
    times.push(since(start));
  }
  const { state } = await helper.ask(`/pow/${last}`);
  if (state === 'done') throw new Error('the search ended before it was measured');
  console.log(
    row('/health while all threads hash', [milliseconds(median(times)), milliseconds(quantile(times, 0.99))]),
  );
  await helper.stop();
}

async function cancels(threads: number): Promise<void> {
  const bare: number[] = [];
  const next: number[] = [];
  const helper = await Helper.start(threads);
  for (let i = 0; i < CANCELS; i++) {
    const control = new AbortController();
    const running = search(LONG, threads, control.signal).catch(() => undefined);
    await helper.ask('/health'); // once it has responded, the search is running
    let start = performance.now();
    control.abort();
    await running;
    bare.push(since(start));

    const [first, second] = [await helper.submit(LONG), await helper.submit(LONG)];
    start = performance.now();
    await helper.ask(`/pow/${first.job_id}`, { method: 'DELETE' });
    while ((await helper.ask(`/pow/${second.job_id}`)).state !== 'running');
    next.push(since(start));
    await helper.ask(`/pow/${second.job_id}`, { method: 'DELETE' });
  }
  await helper.stop();
  console.log(row('cancel a search, native', [milliseconds(median(bare)), milliseconds(Math.max(...bare))]));
  console.log(row('DELETE until the next job runs', [milliseconds(median(next)), milliseconds(Math.max(...next))]));
}

runBench(async () => {
  const all = hardwareThreads();
  console.log(machine());
  console.log(`\n${row('hashes per second', ['native', 'service', 'lost'])}`);
  for (const threads of new Set([1, Math.min(2, all)])) await rates(threads);
  console.log(`\n${row('from request to answer', ['median', 'p90'])}`);
  await jobTimes(all);
  console.log(`\n${row('under load', ['median', 'p99'])}`);
  await health(all);
  console.log(`\n${row('cancelling', ['median', 'worst'])}`);
  await cancels(all);
});
