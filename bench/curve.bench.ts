/**
 * Curve operations per second: `npm run bench -- curve`, or with options
 *
 *   node -r ./scripts/source-loader.cjs bench/curve.bench.ts [--rounds 7] [--batches] [--against <command>]
 *
 * "alone": one call after the other on this thread. "batch": the asynchronous form over many items, with each number of lanes
 * of the processor; `--batches` omits "alone". Each figure is the median of the rounds, which alternate between the compared
 * operations. Figures of one thread are per second of processor time, those of all threads per second of wall clock.
 * `--against` runs `<command> <operation>`, which prints calls per second of processor time, alternating with ours, and prints
 * the ratios. Pin both to a core (taskset) on a machine with other load.
 */
import { execSync } from 'node:child_process';
import { parseArgs } from 'node:util';
import * as crypto from '@wrkz/crypto';
import { median, row, runBench, since } from './support/figures';
import { machine } from './support/machine';

const ROUND_MS = 200;
const BATCH = 512;

const { values } = parseArgs({
  options: { rounds: { type: 'string', default: '7' }, against: { type: 'string' }, batches: { type: 'boolean' } },
});

type Clock = () => number;

/** User processor time of this process in milliseconds, all threads together. */
const busy: Clock = () => process.cpuUsage().user / 1000;
const wall: Clock = () => performance.now();

/** Operations per second by a clock over one round of `once`, which does `count` operations. */
async function round(clock: Clock, count: number, once: () => unknown): Promise<number> {
  const start = performance.now();
  const started = clock();
  let operations = 0;
  do {
    const pending = once();
    if (pending instanceof Promise) await pending;
    operations += count;
  } while (since(start) < ROUND_MS);
  return (operations * 1000) / (clock() - started);
}

async function rate(rounds: number, clock: Clock, count: number, once: () => unknown): Promise<number> {
  await once();
  const figures: number[] = [];
  while (figures.length < rounds) figures.push(await round(clock, count, once));
  return median(figures);
}

/** Calls per second that the program of `--against` prints for an operation. */
const theirs = (command: string, name: string): number => Number(execSync(`${command} ${name}`, { encoding: 'utf8' }));

function makeRing(members: number): crypto.RingCheck & { sign: () => Buffer } {
  const pairs = Array.from({ length: members }, () => crypto.generateKeyPair());
  const publicKeys = pairs.map((pair) => pair.publicKey);
  const real = pairs[members - 1];
  if (real === undefined) throw new RangeError('a ring needs a member');
  const prefixHash = crypto.cnFastHash(Buffer.from('bench'));
  const keyImage = crypto.generateKeyImage(real.publicKey, real.secretKey);
  const sign = (): Buffer =>
    crypto.generateRingSignatures(prefixHash, keyImage, publicKeys, real.secretKey, members - 1);
  return { prefixHash, keyImage, publicKeys, signatures: sign(), sign };
}

/** Each operation by the name that `--against` programs get. A function does sixteen of them. */
function operations(): Map<string, () => void> {
  const { secretKey, publicKey } = crypto.generateKeyPair();
  const derivation = crypto.generateKeyDerivation(publicKey, secretKey) ?? Buffer.alloc(32);
  const [short, long] = [Buffer.alloc(76, 1), Buffer.alloc(200, 1)];
  const single: [string, () => unknown][] = [
    ['derivation', () => crypto.generateKeyDerivation(publicKey, secretKey)],
    ['derive', () => crypto.derivePublicKey(derivation, 1, publicKey)],
    ['underive', () => crypto.underivePublicKey(derivation, 1, publicKey)],
    ['key-image', () => crypto.generateKeyImage(publicKey, secretKey)],
    ['public-key', () => crypto.secretKeyToPublicKey(secretKey)],
    ['check-key', () => crypto.checkKey(publicKey)],
    ['keccak-76', () => crypto.cnFastHash(short)],
    ['keccak-200', () => crypto.cnFastHash(long)],
    ...[2, 4, 8].flatMap((members): [string, () => unknown][] => {
      const ring = makeRing(members);
      const { prefixHash, keyImage, publicKeys, signatures } = ring;
      return [
        [`make-ring-${members}`, ring.sign],
        [`check-ring-${members}`, () => crypto.checkRingSignature(prefixHash, keyImage, publicKeys, signatures)],
      ];
    }),
  ];
  return new Map(
    single.map(([name, once]) => [
      name,
      () => {
        for (let i = 0; i < 16; i++) once();
      },
    ]),
  );
}

async function alone(rounds: number): Promise<void> {
  console.log(`\n${row('alone', ['per second'])}`);
  for (const [name, once] of operations()) console.log(row(name, [await rate(rounds, busy, 16, once)]));
}

async function compare(rounds: number, command: string): Promise<void> {
  console.log(`\n${row('alone', ['per second', 'theirs', 'ratio'])}`);
  for (const [name, once] of operations()) {
    const ours: number[] = [];
    const other: number[] = [];
    once();
    for (let i = 0; i < rounds; i++) {
      ours.push(await round(busy, 16, once));
      other.push(theirs(command, name));
    }
    const ratios = ours.map((figure, i) => figure / (other[i] ?? NaN));
    console.log(row(name, [median(ours), median(other), median(ratios).toFixed(2)]));
  }
}

interface BatchJob {
  name: string;
  /** Its name for programs of `--against`, if they have it. */
  theirs?: string;
  count: number;
  once: () => Promise<unknown>;
}

function batchJobs(): BatchJob[] {
  const pairs = Array.from({ length: BATCH }, () => crypto.generateKeyPair());
  const keys = pairs.map((pair) => pair.publicKey);
  const viewSecret = crypto.generateKeyPair().secretKey;
  const spendKeys = Buffer.concat(keys.slice(0, 10));
  const joined = Buffer.concat(keys);
  /** Of `count` transactions, each with its share of the outputs. */
  const scan = (count: number, outputs: Buffer): Promise<unknown> =>
    crypto.scanOutputsAsync({
      viewSecret,
      transactionKeys: joined.subarray(0, 32 * count),
      outputCounts: new Uint32Array(count).fill(outputs.length / 32 / count),
      outputs,
      spendKeys,
    });
  const bare = Buffer.alloc(0);
  const wide = Buffer.concat(Array.from({ length: 8 }, () => joined));
  return [
    { name: 'key derivation', theirs: 'derivation', count: BATCH, once: () => scan(BATCH, bare) },
    { name: 'underive public key', theirs: 'underive', count: 8 * BATCH, once: () => scan(8, wide) },
    { name: 'scan, one output a transaction', count: BATCH, once: () => scan(BATCH, joined) },
    { name: 'key image', theirs: 'key-image', count: BATCH, once: () => crypto.generateKeyImagesAsync(pairs) },
    { name: 'check point', theirs: 'check-key', count: BATCH, once: () => crypto.checkKeysAsync(keys) },
    { name: 'check prime order', count: BATCH, once: () => crypto.checkKeyImagesAsync(keys) },
    ...[2, 4, 8].map((members): BatchJob => {
      const rings = Array.from({ length: 64 }, () => makeRing(members));
      const once = (): Promise<unknown> => crypto.checkRingSignaturesAsync(rings);
      return { name: `check ring signature, ring ${members}`, theirs: `check-ring-${members}`, count: 64, once };
    }),
  ];
}

/** The lane counts that this processor has, the widest first. */
function lanesHere(): crypto.CurveLanes[] {
  const { fma, avx512, ifma } = crypto.cpuFeatures();
  const has: Record<crypto.CurveLanes, boolean> = { 1: true, 4: fma, 8: avx512 && ifma };
  return crypto.CURVE_LANE_COUNTS.filter((lanes) => has[lanes]).reverse();
}

async function batches(rounds: number, command?: string): Promise<void> {
  const all = crypto.hardwareThreads();
  const lanes = lanesHere();
  const heads = lanes.map((count) => `1 x ${count} lanes`);
  const last = command === undefined ? [`${all} x ${lanes[0] ?? 1} lanes`] : ['theirs', ...lanes.map(() => 'ratio')];
  console.log(`\n${row('batch', [...heads, ...last])}`);
  for (const job of batchJobs()) {
    if (command !== undefined && job.theirs === undefined) continue;
    const figures = lanes.map((): number[] => []);
    const other: number[] = [];
    crypto.setThreads(1);
    for (let i = 0; i < rounds; i++) {
      for (const [at, count] of lanes.entries()) {
        crypto.setCurveLanes(count);
        if (i === 0) await job.once();
        figures[at]?.push(await round(busy, job.count, job.once));
      }
      if (command !== undefined && job.theirs !== undefined) other.push(theirs(command, job.theirs));
    }
    crypto.setThreads(all);
    crypto.setCurveLanes('auto');
    const ratios = figures.map((own) => median(own.map((figure, i) => figure / (other[i] ?? NaN))).toFixed(2));
    const end = command === undefined ? [await rate(rounds, wall, job.count, job.once)] : [median(other), ...ratios];
    console.log(row(job.name, [...figures.map((own) => median(own)), ...end]));
  }
}

runBench(async () => {
  const rounds = Number(values.rounds);
  if (!Number.isInteger(rounds) || rounds < 1) throw new RangeError('--rounds must be a positive integer');
  console.log(machine());
  if (values.batches !== true) await (values.against === undefined ? alone(rounds) : compare(rounds, values.against));
  await batches(rounds, values.against);
});
