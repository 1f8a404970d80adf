/**
 * Hashes per second of the proofs of work: `npm run bench -- pow`, or with options, after a build,
 *
 *   node -r ./scripts/source-loader.cjs bench/pow.bench.ts [--implementation portable|aesni|avx2|avx512]
 *     [--against <command>] [--algorithm cn_upx] [--mode search|alone|batch] [--threads 1] [--rounds 7]
 *     [--cpu-time]
 *
 * "alone" is one hash after the other, "batch" many at once through `powHashMany`, "search" the nonce search. Each figure is
 * the median of the rounds. Cycles are those of the time stamp counter, per round of the algorithm and hash, everything
 * included. `--cpu-time` counts seconds of processor time instead of wall clock, for a machine with other load. `--against`
 * runs a program that prints hashes per second, alternating with ours, and prints the ratio; pin both to one core (taskset).
 */
import { execSync } from 'node:child_process';
import { cpus } from 'node:os';
import { parseArgs } from 'node:util';
import * as crypto from '@wrkz/crypto';

type Mode = 'alone' | 'batch' | 'search';

const SECONDS = 0.6;

/** Rounds of the main loop, half the iterations; Argon2 has none. */
const LOOP_ROUNDS: Record<crypto.PowAlgorithm, number> = {
  cn_slow_hash_v0: 524_288,
  cn_lite_slow_hash_v1: 262_144,
  cn_turtle_lite_slow_hash_v2: 65_536,
  cn_upx: 16_384,
  chukwa: 0,
};
const ALGORITHMS = Object.keys(LOOP_ROUNDS) as crypto.PowAlgorithm[];

const { values } = parseArgs({
  options: {
    implementation: { type: 'string', default: 'auto' },
    against: { type: 'string' },
    algorithm: { type: 'string', default: 'cn_upx' },
    mode: { type: 'string', default: 'search' },
    threads: { type: 'string', default: '1' },
    rounds: { type: 'string', default: '7' },
    'cpu-time': { type: 'boolean', default: false },
  },
});

function median(figures: number[]): number {
  const sorted = [...figures].sort((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? 0;
}

function blob(seed: number): Buffer {
  const data = Buffer.alloc(76, 0xa5);
  data.writeUInt32LE(seed, 39);
  return data;
}

/** Starts a stopwatch. Reading it returns the seconds since; with `--cpu-time` per thread. */
function watch(threads: number): () => number {
  const time = process.hrtime.bigint();
  const cpu = process.cpuUsage();
  return () => {
    if (!values['cpu-time']) return Number(process.hrtime.bigint() - time) / 1e9;
    const { user, system } = process.cpuUsage(cpu);
    return (user + system) / 1e6 / threads;
  };
}

/** Hashes per second over `SECONDS`. `expected` hashes per second decide the size of one call. */
async function stretch(mode: Mode, algorithm: crypto.PowAlgorithm, threads: number, expected: number): Promise<number> {
  const count = Math.max(threads * 8, Math.ceil(expected * SECONDS));
  const seconds = watch(threads);
  if (mode === 'alone') {
    for (let i = 0; i < count; i++) crypto.powHash(algorithm, blob(i));
  } else if (mode === 'batch') {
    crypto.setThreads(threads);
    await crypto.powHashMany(Array.from({ length: count }, (_, i) => ({ algorithm, data: blob(i) })));
    crypto.setThreads(crypto.hardwareThreads());
  } else {
    const range = { nonceOffset: 39, nonceSize: 4 as const, maxNonce: BigInt(count - 1) };
    // The maximum difficulty: no nonce is found, and the whole range is searched.
    await crypto.searchNonce({ algorithm, data: blob(0), ...range, difficulty: 0xffffffffffffffffn, threads });
  }
  return count / seconds();
}

/** A first estimate. It also measures the lanes and touches the scratchpads. */
async function warmUp(mode: Mode, algorithm: crypto.PowAlgorithm, threads: number): Promise<number> {
  await crypto.powLanes(algorithm);
  crypto.powHash(algorithm, blob(0));
  const seconds = watch(1);
  crypto.powHash(algorithm, blob(1));
  const alone = 1 / seconds();
  return mode === 'alone' ? alone : stretch(mode, algorithm, threads, alone * threads);
}

async function ticksPerSecond(): Promise<number> {
  const [time, ticks] = [process.hrtime.bigint(), crypto.timeStamp()];
  await new Promise((resolve) => setTimeout(resolve, 50));
  return (Number(crypto.timeStamp() - ticks) * 1e9) / Number(process.hrtime.bigint() - time);
}

function line(name: string, mode: Mode, threads: number, lanes: number, rate: number, ticks: number): string {
  const rounds = LOOP_ROUNDS[name as crypto.PowAlgorithm];
  const cycles = rounds > 0 && ticks > 0 ? ((ticks * threads) / rate / rounds).toFixed(1) : '-';
  const figure = rate >= 1000 ? Math.round(rate).toLocaleString('en-US') : rate.toFixed(1);
  return (
    name.padEnd(30) +
    mode.padEnd(8) +
    String(threads).padStart(7) +
    String(lanes).padStart(7) +
    figure.padStart(11) +
    cycles.padStart(9)
  );
}

async function measureAll(rounds: number, ticks: number): Promise<void> {
  console.log('proof of work                 mode    threads  lanes   hashes/s   cycles');
  for (const algorithm of ALGORITHMS) {
    const lanes = await crypto.powLanes(algorithm);
    const modes: [Mode, number][] = [
      ['alone', 1],
      ['batch', 1],
      ['batch', 2],
      ['search', 1],
      ['search', 2],
    ];
    for (const [mode, threads] of modes) {
      if (threads > crypto.hardwareThreads() || (mode === 'search' && algorithm !== 'cn_upx')) continue;
      const expected = await warmUp(mode, algorithm, threads);
      const figures: number[] = [];
      for (let round = 0; round < rounds; round++) figures.push(await stretch(mode, algorithm, threads, expected));
      console.log(line(algorithm, mode, threads, mode === 'alone' ? 1 : lanes, median(figures), ticks));
    }
  }
}

/** The last number that the command prints. */
function theirs(command: string): number {
  const numbers = execSync(command, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'] }).match(/\d+(\.\d+)?/g);
  const rate = Number(numbers?.at(-1));
  if (!(rate > 0)) throw new Error(`the command printed no hashes per second: ${command}`);
  return rate;
}

async function compare(command: string, rounds: number, ticks: number): Promise<void> {
  const algorithm = values.algorithm as crypto.PowAlgorithm;
  const mode = values.mode as Mode;
  const threads = Number(values.threads);
  if (!ALGORITHMS.includes(algorithm)) throw new RangeError(`--algorithm must be one of ${ALGORITHMS.join(', ')}`);
  if (!['alone', 'batch', 'search'].includes(mode)) throw new RangeError('--mode must be alone, batch or search');
  const expected = await warmUp(mode, algorithm, threads);
  const own: number[] = [];
  const other: number[] = [];
  for (let round = 0; round < rounds; round++) {
    own.push(await stretch(mode, algorithm, threads, expected));
    other.push(theirs(command));
  }
  const ratios = own.map((rate, round) => rate / (other[round] ?? NaN));
  console.log('proof of work                 mode    threads  lanes   hashes/s   cycles');
  console.log(
    line(algorithm, mode, threads, mode === 'alone' ? 1 : await crypto.powLanes(algorithm), median(own), ticks),
  );
  console.log(
    `against: ${median(other).toFixed(1)} hashes/s; ratio ${median(ratios).toFixed(2)} (median of ${rounds} pairs)`,
  );
}

async function main(): Promise<void> {
  const rounds = Number(values.rounds);
  if (!Number.isInteger(rounds) || rounds < 1) throw new RangeError('--rounds must be a positive integer');
  crypto.setImplementation(values.implementation as crypto.Implementation);
  const ticks = await ticksPerSecond();
  const features = Object.entries(crypto.cpuFeatures()).flatMap(([name, has]) => (has ? [name] : []));
  console.log(
    `${cpus()[0]?.model ?? 'unknown processor'}, ${crypto.hardwareThreads()} threads, Node.js ${process.version}`,
  );
  console.log(
    `${crypto.implementation()} path (${features.join(' ')}), time stamp counter ${(ticks / 1e9).toFixed(3)} GHz\n`,
  );
  await (values.against === undefined ? measureAll(rounds, ticks) : compare(values.against, rounds, ticks));
}

void main().catch((error: unknown) => {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
});
