import { MAX_RECEIPTS, POLLS_BETWEEN_FULL_READS, ReceiptReader, REREAD_DEPTH } from '../../src/funding/receipts';
import { type Receipt, ResponseTooLong } from '../../src/funding/wallet';

const hash = (n: number): string => n.toString(16).padStart(64, '0');
const receipt = (n: number, height: number): Receipt => ({
  hash: hash(n),
  amount: 1n,
  height,
  time: 0,
  paymentId: '',
  unlockTime: 0n,
});
const never = new AbortController().signal;

test('reads all blocks first, then the latest ones, and periodically all again', async () => {
  const requested: [number, number][] = [];
  const source = {
    state: () => Promise.reject(new Error('unused')),
    receipts: async (_address: string, from: number, to: number) => (requested.push([from, to]), [receipt(to, to - 1)]),
  };
  const reader = new ReceiptReader();
  await reader.read(source, 'x', 100_000, never);
  expect(requested).toEqual([
    [0, 20_000],
    [20_000, 100_001],
  ]);
  for (let i = 1; i <= POLLS_BETWEEN_FULL_READS; i++) {
    requested.length = 0;
    await reader.read(source, 'x', 100_000 + i, never);
    expect(requested).toEqual([[100_000 + i - 1 - REREAD_DEPTH, 100_001 + i]]);
  }
  requested.length = 0;
  await reader.read(source, 'x', 100_100, never);
  expect(requested[0]?.[0]).toBe(0);
  requested.length = 0;
  await reader.read(source, 'x', 100_100 - REREAD_DEPTH - 1, never);
  expect(requested[0]?.[0]).toBe(0);
});

test('removes a transaction of the first reread block', async () => {
  let chain = [receipt(1, 10_000 - REREAD_DEPTH), receipt(2, 10_000 - REREAD_DEPTH - 1)];
  const source = {
    state: () => Promise.reject(new Error('unused')),
    receipts: async (_a: string, from: number, to: number) =>
      chain.filter(({ height }) => height >= from && height < to),
  };
  const reader = new ReceiptReader();
  expect(await reader.read(source, 'x', 10_000, never)).toHaveLength(2);
  chain = [];
  expect((await reader.read(source, 'x', 10_000, never)).map((one) => one.hash)).toEqual([hash(2)]);
});

test('retains transactions below the reread range, and removes missing ones in it', async () => {
  let chain = [receipt(1, 10), receipt(2, 5000), receipt(3, 9000)];
  const source = {
    state: () => Promise.reject(new Error('unused')),
    receipts: async (_a: string, from: number, to: number) =>
      chain.filter(({ height }) => height >= from && height < to),
  };
  const reader = new ReceiptReader();
  const hashes = async (tip: number) => (await reader.read(source, 'x', tip, never)).map((one) => one.hash);
  expect(await hashes(9500)).toEqual([hash(1), hash(2), hash(3)]);
  chain = [receipt(1, 10), receipt(2, 5000), receipt(4, 9400)];
  expect(await hashes(9501)).toEqual([hash(1), hash(2), hash(4)]);
});

test('splits a range whose response is too long', async () => {
  const source = {
    state: () => Promise.reject(new Error('unused')),
    receipts: async (_a: string, from: number, to: number) => {
      if (to - from > 700) throw new ResponseTooLong('too long');
      return Array.from({ length: to - from }, (_, i) => receipt(from + i, from + i));
    },
  };
  expect(await new ReceiptReader().read(source, 'x', 3000, never)).toHaveLength(3001);
});

test('aborts if a wallet returns an unlimited number of donations', async () => {
  const source = {
    state: () => Promise.reject(new Error('unused')),
    receipts: async (_a: string, from: number) =>
      Array.from({ length: 10_000 }, (_, i) => receipt(from * 10_000 + i, from)),
  };
  const reading = new ReceiptReader().read(source, 'x', Number.MAX_SAFE_INTEGER - 1, never);
  await expect(reading).rejects.toThrow(`more than ${MAX_RECEIPTS} donations`);
});

test('counts a transaction that moved between two requests once', async () => {
  const source = {
    state: () => Promise.reject(new Error('unused')),
    receipts: async (_a: string, from: number, to: number) => [
      receipt(7, Math.min(to, 30_000) - 1),
      receipt(from, from),
    ],
  };
  const found = await new ReceiptReader().read(source, 'x', 40_000, never);
  expect(found.filter((one) => one.hash === hash(7))).toHaveLength(1);
});
