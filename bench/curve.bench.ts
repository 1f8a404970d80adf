/**
 * Curve operations per second: `npm run bench -- curve`. Each figure is the median of the rounds; "alone" is one call
 * after the other on this thread, "batch" the asynchronous form over many items on one native thread and on all.
 */
import { cpus } from 'node:os';
import * as crypto from '@wrkz/crypto';

const ROUNDS = 7;
const ROUND_MS = 200;
const BATCH = 512;

function median(values: number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? 0;
}

/** Median operations per second of `once`, which does `count` operations. */
async function rate(count: number, once: () => unknown): Promise<number> {
  await once();
  const rounds: number[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    const start = process.hrtime.bigint();
    let operations = 0;
    let elapsed = 0;
    do {
      const pending = once();
      if (pending instanceof Promise) await pending;
      operations += count;
      elapsed = Number(process.hrtime.bigint() - start) / 1e6;
    } while (elapsed < ROUND_MS);
    rounds.push((operations * 1000) / elapsed);
  }
  return median(rounds);
}

function print(name: string, figures: number[]): void {
  const columns = figures.map((figure) => Math.round(figure).toLocaleString('en-US').padStart(12));
  console.log(name.padEnd(34) + columns.join(''));
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

async function alone(): Promise<void> {
  const { secretKey, publicKey } = crypto.generateKeyPair();
  const derivation = crypto.generateKeyDerivation(publicKey, secretKey) ?? Buffer.alloc(32);
  console.log('\nalone'.padEnd(35) + 'per second'.padStart(12));
  const single: [string, () => unknown][] = [
    ['key derivation', () => crypto.generateKeyDerivation(publicKey, secretKey)],
    ['derive public key', () => crypto.derivePublicKey(derivation, 1, publicKey)],
    ['underive public key', () => crypto.underivePublicKey(derivation, 1, publicKey)],
    ['key image', () => crypto.generateKeyImage(publicKey, secretKey)],
    ['public key from secret', () => crypto.secretKeyToPublicKey(secretKey)],
    ['check point', () => crypto.checkKey(publicKey)],
    ['check prime order', () => crypto.isPrimeOrder(publicKey)],
    ['sign', () => crypto.generateSignature(derivation, publicKey, secretKey)],
    ['Keccak of 76 bytes', () => crypto.cnFastHash(seventySix)],
    ['Keccak of 200 bytes', () => crypto.cnFastHash(twoHundred)],
  ];
  for (const [name, once] of single) {
    print(name, [
      await rate(16, () => {
        for (let i = 0; i < 16; i++) once();
      }),
    ]);
  }
  for (const members of [2, 4, 8]) {
    const ring = makeRing(members);
    const { prefixHash, keyImage, publicKeys, signatures } = ring;
    print(`make ring signature, ring ${members}`, [await rate(1, ring.sign)]);
    print(`check ring signature, ring ${members}`, [
      await rate(1, () => crypto.checkRingSignature(prefixHash, keyImage, publicKeys, signatures)),
    ]);
  }
}

const seventySix = Buffer.alloc(76, 1);
const twoHundred = Buffer.alloc(200, 1);

async function batches(): Promise<void> {
  const all = crypto.hardwareThreads();
  const pairs = Array.from({ length: BATCH }, () => crypto.generateKeyPair());
  const keys = pairs.map((pair) => pair.publicKey);
  const viewSecret = crypto.generateKeyPair().secretKey;
  const single = keys.map((publicKey) => ({ publicKey, outputs: [publicKey] }));
  const many = keys.slice(0, 8).map((publicKey) => ({ publicKey, outputs: keys }));
  const bare = keys.map((publicKey) => ({ publicKey, outputs: [] }));
  const spendKeys = keys.slice(0, 10);
  const jobs: [string, number, () => Promise<unknown>][] = [
    ['key derivation', BATCH, () => crypto.scanOutputsAsync({ viewSecret, transactions: bare, spendKeys })],
    ['underive public key', 8 * BATCH, () => crypto.scanOutputsAsync({ viewSecret, transactions: many, spendKeys })],
    [
      'scan, one output a transaction',
      BATCH,
      () => crypto.scanOutputsAsync({ viewSecret, transactions: single, spendKeys }),
    ],
    ['key image', BATCH, () => crypto.generateKeyImagesAsync(pairs)],
    ['check point', BATCH, () => crypto.checkKeysAsync(keys)],
    ['check prime order', BATCH, () => crypto.checkKeyImagesAsync(keys)],
    ...[2, 4, 8].map((members): [string, number, () => Promise<unknown>] => {
      const rings = Array.from({ length: 64 }, () => makeRing(members));
      return [`check ring signature, ring ${members}`, 64, () => crypto.checkRingSignaturesAsync(rings)];
    }),
  ];
  console.log(
    '\nbatch'.padEnd(35) + ['1 thread', `${all} threads`, '1, portable'].map((head) => head.padStart(12)).join(''),
  );
  for (const [name, count, once] of jobs) {
    crypto.setThreads(1);
    const one = await rate(count, once);
    crypto.setImplementation('portable');
    const portable = await rate(count, once);
    crypto.setImplementation('auto');
    crypto.setThreads(all);
    print(name, [one, await rate(count, once), portable]);
  }
}

async function main(): Promise<void> {
  const features = Object.entries(crypto.cpuFeatures()).flatMap(([name, present]) => (present ? [name] : []));
  console.log(`${cpus()[0]?.model ?? 'unknown processor'}, ${cpus().length} hardware threads, ${features.join(' ')}`);
  console.log(`Node.js ${process.version}; curve batches of ${crypto.curveLanes()} lanes`);
  await alone();
  await batches();
}

main().catch((error: unknown) => {
  console.error(error);
  process.exitCode = 1;
});
