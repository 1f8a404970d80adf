import { readFileSync, writeFileSync } from 'node:fs';
import { DecodeError, encodeVarint } from '@wrkz/core-types';
import * as fc from 'fast-check';
import { CacheWindow, SealedBytes } from '../../../src/container/green/cache-reader';
import { ChaCha8, GREEN_PREFIX_SIZE, greenLayout } from '../../../src/container/green/keys';
import { WalletError } from '../../../src/errors';
import { fresh, removeFolders } from '../../support/folder';
import { greenNamed } from './support/recorded-green';
import { readGreen } from './support/read-green';
import { emptyHistory, greenFile, PASSWORD, sealedCache, SPEND_SECRET } from './support/sealed';

afterEach(removeFolders);

const outcomeOf = async (bytes: Buffer, password: string) => {
  const file = fresh('some.green');
  writeFileSync(file, bytes);
  try {
    return await readGreen(file, password);
  } catch (error) {
    // Any other error fails the test.
    if (error instanceof WalletError) return error.code;
    throw error;
  }
};

const keysOf = (outcome: Awaited<ReturnType<typeof outcomeOf>>): unknown =>
  typeof outcome === 'object' ? outcome.content.subWallets.map((one) => one.privateSpendKey) : outcome;

test('ChaCha8 produces the published keystream', () => {
  const zeros = (size: number): Buffer => Buffer.alloc(size);
  const published =
    '3e00ef2f895f40d67f5bb8e81f09a5a12c840ec3ce9a7f3b181be188ef711a1e' +
    '984ce172b9216f419f445367456d5619314a42a3da86b001387bfdb80e0cfe42';
  expect(new ChaCha8(zeros(32), zeros(8)).apply(zeros(64)).toString('hex')).toBe(published);
});

test('ChaCha8 gives the same result in chunks', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 600 }), fc.array(fc.nat(200)), (bytes, cuts) => {
      const whole = new ChaCha8(Buffer.alloc(32, 3), Buffer.alloc(8, 5)).apply(Buffer.from(bytes));
      const cipher = new ChaCha8(Buffer.alloc(32, 3), Buffer.alloc(8, 5));
      expect(Buffer.concat(pieces(Buffer.from(bytes), cuts).map((piece) => cipher.apply(piece)))).toEqual(whole);
    }),
  );
});

function pieces(bytes: Buffer, cuts: readonly number[]): Buffer[] {
  const found: Buffer[] = [];
  let at = 0;
  for (const cut of cuts) found.push(Buffer.from(bytes.subarray(at, (at += cut))));
  return [...found, Buffer.from(bytes.subarray(at))];
}

test('the array of varints is decoded from any chunks, up to its end', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 300 }), fc.array(fc.nat(50)), (bytes, cuts) => {
      const raw = Buffer.concat([...Array.from(bytes, (byte) => encodeVarint(byte)), Buffer.from('behind')]);
      const sealed = new SealedBytes(bytes.length);
      expect(Buffer.concat(pieces(raw, cuts).map((piece) => sealed.take(piece)))).toEqual(Buffer.from(bytes));
      expect(sealed.isDone).toBe(true);
    }),
  );
  for (const wrong of [0, 2, 0x80, 0xff]) {
    expect(() => new SealedBytes(1).take(Buffer.from([0x80, wrong]))).toThrow(DecodeError);
  }
});

test('a window waits for the rest of a record, and refuses a record that exceeds the cache', () => {
  const window = new CacheWindow(33);
  const reading = window.read((reader) => reader.hash().toString('hex'));
  window.push(Buffer.alloc(20, 1));
  expect(reading.next().done).toBe(false);
  window.push(Buffer.alloc(13, 2));
  expect(reading.next()).toEqual({ done: true, value: '01'.repeat(20) + '02'.repeat(12) });
  expect(window.left).toBe(1);
  expect(() => window.read((reader) => reader.hash()).next()).toThrow(DecodeError);
  expect(() => window.skip(2).next()).toThrow(DecodeError);
});

test('lengths are compared without overflow', () => {
  const huge = fc.bigInt({ min: 0n, max: 2n ** 64n - 1n });
  fc.assert(
    fc.property(huge, huge, fc.nat(100_000), (capacity, size, fileSize) => {
      const start = Buffer.alloc(GREEN_PREFIX_SIZE);
      start[0] = 6;
      start.writeBigUInt64LE(capacity, 89);
      start.writeBigUInt64LE(size, 97);
      const fits = size <= capacity && 105n + 80n * capacity <= BigInt(fileSize);
      expect(greenLayout(start, fileSize) !== undefined).toBe(fits);
    }),
  );
});

test('a file that is cut off is no WalletGreen file, or still has its keys', async () => {
  const { path, password } = greenNamed('carol-view-unscanned.green');
  const bytes = readFileSync(path);
  const whole = keysOf(await outcomeOf(bytes, password));
  await fc.assert(
    fc.asyncProperty(fc.nat(bytes.length - 1), async (length) => {
      const outcome = await outcomeOf(bytes.subarray(0, length), password);
      if (length < GREEN_PREFIX_SIZE + 800) expect(outcome).toBeUndefined();
      else expect(keysOf(outcome)).toEqual(whole);
    }),
    { numRuns: 30 },
  );
});

test('a flipped bit in the cache does not lose a key', async () => {
  const { path, password } = greenNamed('alice-pending.green');
  const bytes = readFileSync(path);
  const whole = keysOf(await outcomeOf(bytes, password));
  await fc.assert(
    fc.asyncProperty(fc.integer({ min: 905, max: bytes.length - 1 }), fc.nat(7), async (at, bit) => {
      const flipped = Buffer.from(bytes);
      flipped[at] = (flipped[at] as number) ^ (1 << bit);
      expect(keysOf(await outcomeOf(flipped, password))).toEqual(whole);
    }),
    { numRuns: 25 },
  );
});

test('the keys are read for any content and any length of the cache', async () => {
  const beginning = Buffer.concat([...emptyHistory(2)]);
  const spendKey = SPEND_SECRET.toString('hex');
  const noise = fc.oneof(
    fc.uint8Array({ maxLength: 400 }).map((bytes) => Buffer.from(bytes)),
    fc.bigInt({ min: 0n, max: 2n ** 64n - 1n }).map((count) => encodeVarint(count)),
  );
  await fc.assert(
    fc.asyncProperty(fc.nat(beginning.length), fc.array(noise, { maxLength: 4 }), async (prefix, rest) => {
      const plain = Buffer.concat([beginning.subarray(0, prefix), ...rest]);
      expect(keysOf(await outcomeOf(greenFile(sealedCache(plain)), PASSWORD))).toEqual([spendKey]);
    }),
    { numRuns: 60 },
  );
  for (const count of [2n ** 53n, 2n ** 64n - 1n, 2n ** 40n]) {
    const outcome = await outcomeOf(greenFile(sealedCache(beginning, count)), PASSWORD);
    expect(keysOf(outcome)).toEqual([spendKey]);
    expect(outcome).toMatchObject({ lostCache: expect.any(String) as string });
  }
});

test('a cache of many chunks is read completely, and an impossible creation time counts as 0', async () => {
  const cache = sealedCache(Buffer.concat([...emptyHistory(50_000)]));
  const read = await outcomeOf(greenFile(cache, 2n ** 60n), PASSWORD);
  expect(read).toMatchObject({ lostCache: undefined, content: { startTimestamp: 0, startHeight: 0 } });
});
