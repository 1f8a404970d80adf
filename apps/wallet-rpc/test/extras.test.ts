import { NodeFailure, type RawChainBlock } from '@wrkz/client';
import { parseBlock } from '@wrkz/core-types';
import { chainA } from '@wrkz/testing';
import { WalletDb, type WalletTransaction } from '@wrkz/wallet-core';
import { TransactionDetailsCache, WantedTransactions } from '../src/transaction-details';
import { Folder } from './support/service';

const folder = new Folder();
const open: (() => unknown)[] = [];

afterEach(async () => {
  for (const close of open.splice(0).reverse()) await close();
});

afterAll(() => folder.remove());

type RawBlocks = (start: number, count: number, signal?: AbortSignal) => Promise<readonly RawChainBlock[]>;

const served: RawBlocks = async (start, count) => chainA().slice(start, start + count);

/** The coinbase of a block of chain A, as a wallet lists it. */
function coinbaseOf(height: number): WalletTransaction {
  const { coinbase } = parseBlock(chainA()[height]?.block ?? Buffer.alloc(0));
  return {
    ...{ hash: coinbase.hash.toString('hex'), blockHeight: height, transfers: [], fee: 0n, timestamp: 0 },
    ...{ paymentId: '', unlockTime: 0n, isCoinbase: true },
  };
}

let count = 0;

function cache(rawBlocks: RawBlocks, heights: readonly number[], retryMs = 20) {
  const walletFile = folder.file(`${String((count += 1))}.container`);
  const db = WalletDb.open({ walletFile, privateViewKey: '0b'.repeat(32), expected: undefined, now: 1 });
  const transactions = heights.map(coinbaseOf);
  const content = { privateViewKey: '00'.repeat(32), subWallets: [], transactions };
  const warnings: string[] = [];
  const requested: [number, number][] = [];
  const details = new TransactionDetailsCache({
    wallet: { on: () => undefined, snapshot: { content }, db, dbIfUsable: db } as never,
    nodes: {
      rawBlocks: (start, length, signal) => {
        requested.push([start, length]);
        return rawBlocks(start, length, signal);
      },
    },
    warn: (text) => warnings.push(text),
    retryMs,
  });
  open.push(
    () => db.close(),
    () => details.stop(),
  );
  details.start();
  const missing = (): string[] => transactions.map(({ hash }) => hash).filter((hash) => !db.details.has(hash));
  return { details, transactions, missing, warnings, queried: requested };
}

test('fetches details once, newest first, a few blocks at a time', async () => {
  const { details, transactions, missing, queried: requested } = cache(served, [3, 500, 480, 700]);
  await details.ensure(transactions, 60_000);
  expect(missing()).toEqual([]);
  expect(requested).toEqual([
    [700, 1],
    [480, 21],
    [3, 1],
  ]);
  await details.ensure(transactions);
  expect(requested).toHaveLength(3);
});

test('requests fewer blocks when a response is too large; a block that is never served delays no other', async () => {
  const limited: RawBlocks = async (start, length) => {
    if (length > 4 || (start <= 600 && start + length > 600)) throw new NodeFailure('tooLarge', 'too large');
    return served(start, length);
  };
  const heights = Array.from({ length: 30 }, (_none, i) => 580 + i);
  const { details, transactions, missing, warnings } = cache(limited, heights);
  const others = transactions.filter(({ blockHeight }) => blockHeight !== 600);
  for (let i = 0; i < 50 && missing().length > 1; i++) await details.ensure(others, 5_000);
  expect(missing()).toEqual(transactions.filter(({ blockHeight }) => blockHeight === 600).map(({ hash }) => hash));
  expect(warnings).toEqual(['block 600 could not be fetched: too large']);
});

test('ignores blocks that were not requested and bytes that are not a block', async () => {
  const { details, transactions, missing, warnings } = cache(
    async (start, length) => {
      if (start > 100) return served(1, 1);
      return [{ block: Buffer.from('00'), transactions: [] }, ...(await served(start, length))];
    },
    [50, 51, 300],
  );
  for (let i = 0; i < 50 && missing().length > 1; i++) await details.ensure(transactions.slice(0, 2), 5_000);
  expect(missing()).toEqual([transactions[2]?.hash]);
  expect(warnings).toHaveLength(1);
  expect(warnings[0]).toContain('could not be read');
});

test('waits briefly for a hanging node, not for an unavailable one, and retries', async () => {
  const hanging = cache(
    (_start, _count, signal) => {
      return new Promise((_resolve, reject) => signal?.addEventListener('abort', () => reject(new Error('given up'))));
    },
    [10],
  );
  await hanging.details.ensure(hanging.transactions, 30);
  expect(hanging.missing()).toHaveLength(1);

  const unavailable = cache(() => Promise.reject(new NodeFailure('unreachable', 'cannot be reached')), [10], 60_000);
  for (let i = 0; i < 3; i++) await unavailable.details.ensure(unavailable.transactions, 60_000);
  expect(unavailable.queried).toHaveLength(1);

  let isAway = true;
  const away = cache(
    (start, length) =>
      isAway ? Promise.reject(new NodeFailure('unreachable', 'cannot be reached')) : served(start, length),
    [10],
  );
  await away.details.ensure(away.transactions, 60_000);
  expect(away.missing()).toHaveLength(1);
  isAway = false;
  while (away.missing().length > 0) await new Promise((resolve) => setTimeout(resolve, 5));
  expect(away.warnings).toEqual(['the extras of transactions could not be fetched: cannot be reached']);
});

test('takes 200,000 missing transactions newest first', () => {
  const wanted = new WantedTransactions();
  for (let height = 1; height <= 200_000; height++) wanted.add(height, 'a');
  wanted.add(7, 'b');
  expect(wanted.newest(50)).toEqual({ start: 199_951, end: 200_000 });
  for (let height = 199_960; height <= 200_000; height++) wanted.delete(height);
  expect(wanted.newest(50)).toEqual({ start: 199_910, end: 199_959 });
  wanted.add(300_000, 'c');
  wanted.add(250_000, 'd');
  expect(wanted.newest(50)).toEqual({ start: 300_000, end: 300_000 });
  expect([wanted.has(7, 'b'), wanted.has(8, 'b'), wanted.isEmpty]).toEqual([true, false, false]);
});
