import { readFileSync, writeFileSync } from 'node:fs';
import { encodeVarint } from '@wrkz/core-types';
import * as fc from 'fast-check';
import { chaCha8, GREEN_PREFIX_SIZE, greenLayout } from '../../../src/container/green/keys';
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
  expect(chaCha8(zeros(32), zeros(8), zeros(64)).toString('hex')).toBe(published);
});

test('ChaCha8 continues at any block', () => {
  const [key, nonce] = [Buffer.alloc(32, 3), Buffer.alloc(8, 5)] as const;
  fc.assert(
    fc.property(fc.uint8Array({ minLength: 600, maxLength: 600 }), fc.nat(8), (content, block) => {
      const bytes = Buffer.from(content);
      const rest = chaCha8(key, nonce, bytes.subarray(block * 64), block);
      expect(chaCha8(key, nonce, bytes).subarray(block * 64)).toEqual(rest);
    }),
  );
});

test('the second byte of an element of the encrypted array is 1, and the array is complete', async () => {
  const cache = sealedCache(Buffer.concat([...emptyHistory(2)]));
  const large = cache.findIndex((byte, i) => i > 10 && byte >= 0x80);
  for (const wrong of [0, 2, 0x80, 0xff]) {
    const changed = Buffer.from(cache).fill(wrong, large + 1, large + 2);
    const lostCache = 'an element of the encrypted array is larger than a byte';
    expect(await outcomeOf(greenFile(changed), PASSWORD)).toMatchObject({ lostCache });
  }
  const cut = cache.subarray(0, -1);
  expect(await outcomeOf(greenFile(cut), PASSWORD)).toMatchObject({ lostCache: 'the cache is cut off' });
  const longer = Buffer.concat([cache, Buffer.from('behind')]);
  expect(await outcomeOf(greenFile(longer), PASSWORD)).toMatchObject({ lostCache: undefined });
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

test('a truncated file is not a WalletGreen file, or still has its keys', async () => {
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
