/**
 * Curve operations per second: `npm run bench -- curve`, or with options
 *
 *   node -r ./scripts/source-loader.cjs bench/curve.bench.ts [--rounds 7] [--against <command>]
 *
 * "alone" is one call after the other on this thread, "batch" the asynchronous form over many items. Each figure is the
 * median of the rounds. `--against` runs `<command> <operation>`, a program that prints that operation's calls per second,
 * in turns with ours and prints the ratios; pin both to a core (taskset) on a machine that does other things as well.
 */
import { execSync } from 'node:child_process';
import { parseArgs } from 'node:util';
import * as crypto from '@wrkz/crypto';
import { median, row, runBench, since } from './support/figures';
import { machine } from './support/machine';

const ROUND_MS = 200;
const BATCH = 512;

const { values } = parseArgs({
  options: { rounds: { type: 'string', default: '7' }, against: { type: 'string' } },
});

/** Operations per second over one round of `once`, which does `count` operations. */
async function round(count: number, once: () => unknown): Promise<number> {
  const start = performance.now();
  let operations = 0;
  do {
    const pending = once();
    if (pending instanceof Promise) await pending;
    operations += count;
  } while (since(start) < ROUND_MS);
  return (operations * 1000) / since(start);
}

async function rate(rounds: number, count: number, once: () => unknown): Promise<number> {
  await once();
  const figures: number[] = [];
  while (figures.length < rounds) figures.push(await round(count, once));
  return median(figures);
}

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

/** Every operation by the name `--against` programs get; each function does sixteen of them. */
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
  for (const [name, once] of operations()) console.log(row(name, [await rate(rounds, 16, once)]));
}

async function compare(rounds: number, command: string): Promise<void> {
  console.log(`\n${row('alone', ['per second', 'theirs', 'ratio'])}`);
  for (const [name, once] of operations()) {
    const ours: number[] = [];
    const theirs: number[] = [];
    once();
    for (let i = 0; i < rounds; i++) {
      ours.push(await round(16, once));
      theirs.push(Number(execSync(`${command} ${name}`, { encoding: 'utf8' })));
    }
    const ratios = ours.map((figure, i) => figure / (theirs[i] ?? NaN));
    console.log(row(name, [median(ours), median(theirs), median(ratios).toFixed(2)]));
  }
}

async function batches(rounds: number): Promise<void> {
  const all = crypto.hardwareThreads();
  const pairs = Array.from({ length: BATCH }, () => crypto.generateKeyPair());
  const keys = pairs.map((pair) => pair.publicKey);
  const viewSecret = crypto.generateKeyPair().secretKey;
  const spendKeys = keys.slice(0, 10);
  const scan = (transactions: crypto.ScannedTransaction[]): Promise<unknown> =>
    crypto.scanOutputsAsync({ viewSecret, transactions, spendKeys });
  const bare = keys.map((publicKey) => ({ publicKey, outputs: [] }));
  const single = keys.map((publicKey) => ({ publicKey, outputs: [publicKey] }));
  const wide = keys.slice(0, 8).map((publicKey) => ({ publicKey, outputs: keys }));
  const jobs: [string, number, () => Promise<unknown>][] = [
    ['key derivation', BATCH, () => scan(bare)],
    ['underive public key', 8 * BATCH, () => scan(wide)],
    ['scan, one output a transaction', BATCH, () => scan(single)],
    ['key image', BATCH, () => crypto.generateKeyImagesAsync(pairs)],
    ['check point', BATCH, () => crypto.checkKeysAsync(keys)],
    ['check prime order', BATCH, () => crypto.checkKeyImagesAsync(keys)],
    ...[2, 4, 8].map((members): [string, number, () => Promise<unknown>] => {
      const rings = Array.from({ length: 64 }, () => makeRing(members));
      return [`check ring signature, ring ${members}`, 64, () => crypto.checkRingSignaturesAsync(rings)];
    }),
  ];
  const paths = (['auto', 'avx2', 'portable'] as const).filter((path) => path !== 'avx2' || crypto.cpuFeatures().avx2);
  const heads = paths.map((path) => {
    crypto.setImplementation(path);
    return `${crypto.curveLanes()} lanes`;
  });
  console.log(`\n${row('batch', [...heads.map((head) => `1 x ${head}`), `${all} x ${heads[0] ?? ''}`])}`);
  for (const [name, count, once] of jobs) {
    const figures: number[] = [];
    crypto.setThreads(1);
    for (const path of paths) {
      crypto.setImplementation(path);
      figures.push(await rate(rounds, count, once));
    }
    crypto.setThreads(all);
    crypto.setImplementation('auto');
    figures.push(await rate(rounds, count, once));
    console.log(row(name, figures));
  }
}

runBench(async () => {
  const rounds = Number(values.rounds);
  if (!Number.isInteger(rounds) || rounds < 1) throw new RangeError('--rounds must be a positive integer');
  console.log(machine());
  if (values.against !== undefined) return compare(rounds, values.against);
  await alone(rounds);
  await batches(rounds);
});
