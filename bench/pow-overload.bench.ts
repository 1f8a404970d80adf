/**
 * Which wallets get a nonce when the helper is overloaded: `npm run bench -- pow-overload`. First a model of a day with the
 * defaults of the helper and of wallets, then the helper itself with all times divided by thirty. Before: first come, first
 * served. After: jobs with a waiting client first. Wallets disconnect without cancelling, except in the last column of the
 * model, where they cancel their jobs.
 */
import { encodeTransactionPrefix, buildExtra, POW_NONCE_SIZE } from '@wrkz/core-types';
import { transactionPowSearch } from '@wrkz/consensus';
import { generateKeyPair, searchNonce } from '@wrkz/crypto';
import { firstAbandoned, nextJob, POLL_TIMEOUT_MS, PowHelper, readPowHelperConfig } from '@wrkz/pow-helper';
import { median, row, runBench, since } from './support/figures';
import { machine } from './support/machine';

const CAPACITY = 64;
/** How long a wallet waits, and how long a helper lets a job wait, in milliseconds. */
const WALLET_MS = 120_000;
const TIMEOUT_MS = 600_000;
/** The mean time of a job in the model. */
const JOB_MS = 15_000;
const DAY_MS = 86_400_000;
const LOADS = [0.7, 0.9, 1, 1.1, 1.3, 1.6];

/** The helper itself runs at this fraction of the model's times. */
const SCALE = 1 / 30;
const RUN_MS = 100_000;
const WARM_UP_MS = 15_000;
const LOAD = 1.1;

const exponential = (mean: number): number => -mean * Math.log(1 - Math.random());
const percent = (share: number): string => `${(share * 100).toFixed(1)} %`;

interface Job {
  readonly arrivedAt: number;
}

/** The share of the wallets of a day that get a nonce while they wait. Times between arrivals and of searches are exponential. */
function simulate(load: number, pollTimeoutMs: number): number {
  const waiting: Job[] = [];
  let [now, freeAt, arrived, served] = [0, 0, 0, 0];
  const isWaitedFor = ({ arrivedAt }: Job): boolean => now - arrivedAt - WALLET_MS <= pollTimeoutMs;
  const serveUntil = (end: number): void => {
    while (freeAt <= end) {
      now = Math.max(now, freeAt);
      const job = nextJob(waiting, isWaitedFor);
      if (job === undefined) return;
      waiting.splice(waiting.indexOf(job), 1);
      if (now - job.arrivedAt > TIMEOUT_MS) continue;
      freeAt = now + exponential(JOB_MS);
      if (freeAt - job.arrivedAt <= WALLET_MS) served++;
    }
  };
  for (let next = 0; next < DAY_MS; next += exponential(JOB_MS / load)) {
    serveUntil(next);
    now = next;
    arrived++;
    if (waiting.length >= CAPACITY) {
      const abandoned = firstAbandoned(waiting, isWaitedFor);
      if (abandoned === undefined) continue;
      waiting.splice(waiting.indexOf(abandoned), 1);
    }
    waiting.push({ arrivedAt: next });
    freeAt = Math.max(freeAt, now);
    serveUntil(now);
  }
  return served / arrived;
}

function makePrefix(): Buffer {
  const { publicKey } = generateKeyPair();
  return encodeTransactionPrefix({
    version: 1,
    unlockTime: 0n,
    inputs: [{ type: 'key', amount: 1000n, keyOffsets: [1], keyImage: publicKey }],
    outputs: [{ amount: 10n, key: publicKey }],
    extra: buildExtra({ publicKey, powNonce: Buffer.alloc(POW_NONCE_SIZE) }),
  });
}

/** The difficulty at which a search takes as long as in the model, while another search runs. */
async function fittingDifficulty(): Promise<bigint> {
  const start = performance.now();
  let hashes = 0;
  const search = async (): Promise<void> => {
    while (since(start) < 3_000) {
      const found = await searchNonce({ ...transactionPowSearch(makePrefix(), 2_000n), threads: 1 });
      hashes += Number(found?.hashes ?? 0);
    }
  };
  await Promise.all([search(), search()]);
  return BigInt(Math.round((hashes / 2 / since(start)) * JOB_MS * SCALE));
}

const sleep = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

/** A wallet that submits, polls and disconnects after its timeout without cancelling. @returns whether it got its nonce */
async function wallet(url: string): Promise<boolean> {
  const signal = AbortSignal.timeout(WALLET_MS * SCALE);
  try {
    const body = JSON.stringify({ prefix: makePrefix().toString('hex') });
    let response = await fetch(`${url}/pow`, { method: 'POST', body, signal });
    while (response.ok) {
      const job = (await response.json()) as { job_id: string; status: string };
      if (job.status !== 'pending') return job.status === 'done';
      response = await fetch(`${url}/pow/${job.job_id}?wait_ms=1000`, { signal });
    }
    return false;
  } catch {
    return false;
  }
}

/** A helper with one hashing thread. `times` collects the duration of each search. */
async function startHelper(difficulty: bigint, pollTimeoutMs: number, times: number[]) {
  const limits = [
    '--rate-limit',
    '0',
    '--max-jobs-per-minute',
    '0',
    '--job-timeout',
    String((TIMEOUT_MS * SCALE) / 1000),
  ];
  const config = readPowHelperConfig(['--log-level', 'disabled', '--threads', '1', ...limits]);
  const helper = new PowHelper(config, {
    port: 0,
    pollTimeoutMs,
    solver: async ({ prefix }, options) => {
      const start = performance.now();
      const found = await searchNonce({ ...transactionPowSearch(prefix, difficulty), ...options });
      times.push(since(start));
      return { nonce: found?.nonceBytes ?? Buffer.alloc(POW_NONCE_SIZE), hashes: found?.hashes ?? 0n };
    },
  });
  await helper.start();
  return { helper, url: `http://127.0.0.1:${helper.port}` };
}

/**
 * The shares of wallets that two helpers (before and after) serve after a rush, at the same time and with the same arrivals.
 * Arrivals follow the current duration of searches, so the load is correct on a busy machine too.
 */
async function run(difficulty: bigint): Promise<{ readonly served: number[]; readonly load: number }> {
  const times: number[] = [];
  const mean = (list: readonly number[]): number => list.reduce((sum, time) => sum + time, 0) / list.length;
  const helpers = await Promise.all(
    [Infinity, POLL_TIMEOUT_MS * SCALE].map((patience) => startHelper(difficulty, patience, times)),
  );
  const rush = helpers.flatMap(({ url }) => Array.from({ length: CAPACITY }, () => wallet(url)));
  const results = helpers.map((): Promise<boolean>[] => []);
  const begin = performance.now();
  let arrivals = 0;
  while (since(begin) < RUN_MS) {
    await sleep(exponential((times.length < 10 ? JOB_MS * SCALE : mean(times.slice(-60))) / LOAD));
    arrivals++;
    for (const [i, { url }] of helpers.entries()) {
      const result = wallet(url);
      if (since(begin) > WARM_UP_MS) results[i]?.push(result);
    }
  }
  const load = (arrivals / since(begin)) * mean(times);
  const served = await Promise.all(
    results.map(async (list) => (await Promise.all(list)).filter(Boolean).length / list.length),
  );
  await Promise.all(rush);
  await Promise.all(helpers.map(({ helper }) => helper.stop()));
  return { served, load };
}

runBench(async () => {
  console.log(machine());
  console.log(`\n${row('model: wallets served, at load', ['before', 'after', 'they cancel'])}`);
  for (const load of LOADS) {
    const shares = [Infinity, POLL_TIMEOUT_MS, 0].map((patience) =>
      median(Array.from({ length: 5 }, () => simulate(load, patience))),
    );
    console.log(row(load.toFixed(1), shares.map(percent)));
  }
  const difficulty = await fittingDifficulty();
  const { served, load } = await run(difficulty);
  console.log(`\n${row(`the helper, difficulty ${difficulty}`, ['before', 'after'])}`);
  console.log(row(`load ${load.toFixed(2)}`, served.map(percent)));
});
