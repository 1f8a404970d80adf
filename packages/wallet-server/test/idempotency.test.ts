import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { FinishedJson } from '@wrkz/service-kit';
import { type SendObserver, type SignedSend, storageError, WalletDb, walletErrorRows } from '@wrkz/wallet-core';
import { type IdempotentRequest, IdempotentRequests, resubmitSends } from '../src';

const folder = mkdtempSync(join(tmpdir(), 'wrkz-idempotency-'));
let db: WalletDb;
let requests: IdempotentRequests;

beforeEach(() => {
  const walletFile = join(folder, 'a.wallet');
  db = WalletDb.open({ walletFile, privateViewKey: '0b'.repeat(32), expected: undefined, now: 1 });
  requests = new IdempotentRequests();
  mined.clear();
});

afterEach(() => {
  db.close();
  for (const name of readdirSync(folder)) rmSync(join(folder, name));
});

afterAll(() => rmSync(folder, { recursive: true }));

/** Hashes of transactions in blocks. */
const mined = new Set<string>();
const transaction = (hash: string): object | undefined => (mined.has(hash) ? {} : undefined);
const send = (hash: string): SignedSend => ({ hash }) as SignedSend;
const HASH = 'ab'.repeat(32);

type Run = (observer: SendObserver) => Promise<string>;

function execute(run: Run, more: Partial<IdempotentRequest<string>> = {}): Promise<string | FinishedJson> {
  return requests.execute(
    { wallet: { db, snapshot: { transaction } } as never, now: () => 1 },
    {
      ...{ key: { owner: 'o', key: 'k' }, body: '{}', status: 200, mayBeNothing: false, run },
      recover: async () => undefined,
      ...more,
    },
  );
}

const never: Run = () => Promise.reject(new Error('executed again'));

test('runs concurrent requests with the same key sequentially until one succeeds', async () => {
  let atWork = 0;
  let maxAtWork = 0;
  let tries = 0;
  const run: Run = async () => {
    maxAtWork = Math.max(maxAtWork, ++atWork);
    await new Promise((resolve) => setImmediate(resolve));
    atWork--;
    if (++tries < 3) throw new Error('refused');
    return 'done';
  };
  const outcomes = await Promise.allSettled(Array.from({ length: 5 }, () => execute(run)));
  expect(maxAtWork).toBe(1);
  expect(outcomes.map(({ status }) => status)).toEqual(['rejected', 'rejected', ...Array(3).fill('fulfilled')]);
  expect(tries).toBe(3);
});

test('runs requests of different owners concurrently', async () => {
  let release = (): void => undefined;
  const first = execute(() => new Promise((resolve) => (release = () => resolve('first'))));
  expect(
    String(((await execute(async () => 'second', { key: { owner: 'other', key: 'k' } })) as FinishedJson).text),
  ).toBe('"second"');
  release();
  await first;
});

test('frees the key after a failure without a recorded transaction, even for another body', async () => {
  await expect(execute(() => Promise.reject(new Error('too little money')))).rejects.toThrow('too little money');
  expect(await execute(async () => 'done', { body: '{"other":1}' })).toBeInstanceOf(FinishedJson);
});

test('binds the key to a refused transaction: a repeated request gets its hash and does not build another one', async () => {
  const refused: Run = (observer) => {
    observer.submitting?.(send(HASH));
    observer.rejected?.(send(HASH));
    return Promise.reject(new Error('refused'));
  };
  await expect(execute(refused)).rejects.toThrow('refused');
  await expect(execute(never, { body: '{"other":1}' })).rejects.toMatchObject({ code: 1002 });
  const recover = async (hashes: readonly string[]): Promise<string> => `submitted ${hashes.join()} again`;
  expect(String(((await execute(never, { recover })) as FinishedJson).text)).toBe(`"submitted ${HASH} again"`);
});

test('frees the key of a sweep whose only transaction was refused', async () => {
  const run: Run = async (observer) => {
    observer.submitting?.(send(HASH));
    observer.rejected?.(send(HASH));
    return 'one failed entry';
  };
  expect(await execute(run, { mayBeNothing: true })).toBe('one failed entry');
  expect(await execute(never, { recover: async () => 'asked again' })).toMatchObject({ text: '"asked again"' });
});

test('binds the key to its request after a failure with a submitted transaction, and recovers it when repeated', async () => {
  const cut: Run = (observer) => {
    observer.submitting?.(send(HASH));
    return Promise.reject(new Error('cut'));
  };
  await expect(execute(cut)).rejects.toThrow('cut');
  await expect(execute(never, { body: '{"other":1}' })).rejects.toMatchObject({ code: 1002 });
  const recovered: string[] = [];
  const recover = async (hashes: readonly string[]): Promise<string> => {
    recovered.push(...hashes);
    return 'it was there';
  };
  for (let i = 0; i < 2; i++) {
    const response = await execute(never, { recover });
    expect(String((response as FinishedJson).text)).toBe('"it was there"');
  }
  expect(recovered).toEqual([HASH]);
});

test('passes all recorded transactions of a key to a repeated request', async () => {
  const cut =
    (hash: string): Run =>
    (observer) => {
      observer.submitting?.(send(hash));
      return Promise.reject(new Error('cut'));
    };
  await expect(execute(cut(HASH))).rejects.toThrow('cut');
  await expect(execute(cut('cd'.repeat(32)))).rejects.toThrow('cut');
  const recover = async (hashes: readonly string[]): Promise<string> => hashes.join();
  expect(String(((await execute(never, { recover })) as FinishedJson).text)).toBe(`"${HASH},${'cd'.repeat(32)}"`);
});

describe('a refused transaction that was rebuilt', () => {
  const REBUILT = 'cd'.repeat(32);
  const refused: Run = (observer) => {
    observer.submitting?.(send(HASH));
    observer.rejected?.(send(HASH));
    return Promise.reject(new Error('refused'));
  };
  const rebuilt: Run = async (observer) => {
    observer.submitting?.(send(REBUILT));
    return REBUILT;
  };
  const giveUp = (hash: string, replacedBy?: string): void =>
    db.sends.put({ hash, state: 'givenUp', created: 1, reason: 'an input was spent', replacedBy });

  beforeEach(async () => {
    await expect(execute(refused)).rejects.toThrow('refused');
    expect(await execute(rebuilt)).toMatchObject({ text: `"${REBUILT}"` });
  });

  test('is not reported as given up once the rebuilt one is mined', async () => {
    giveUp(HASH, REBUILT);
    expect(await execute(never)).toMatchObject({ text: `"${REBUILT}"` });
  });

  test('is the response when it was mined instead of the rebuilt one', async () => {
    giveUp(REBUILT, HASH);
    expect(await execute(never, { recover: async () => HASH })).toMatchObject({ text: `"${HASH}"` });
  });

  test('is reported as given up when a transaction of another request spent its input', async () => {
    giveUp(REBUILT, 'ef'.repeat(32));
    await expect(execute(never)).rejects.toMatchObject({ code: walletErrorRows.transactionGivenUp.code });
    // A block contains the transaction nevertheless.
    mined.add(REBUILT);
    expect(await execute(never)).toMatchObject({ text: `"${REBUILT}"` });
  });

  test('is not submitted again once the rebuilt one has replaced it', async () => {
    giveUp(HASH, REBUILT);
    const resubmit = async (hash: string) => ({ hash });
    const wallet = { db, snapshot: { transaction: () => undefined }, resubmit } as never;
    expect(await resubmitSends(wallet, [HASH, REBUILT])).toEqual([{ hash: REBUILT }]);
  });
});

describe('while the disk is full', () => {
  /** As better-sqlite3 reports it. */
  const full = Object.assign(new Error('database or disk is full'), { name: 'SqliteError', code: 'SQLITE_FULL' });
  const fails = (method: 'begin' | 'complete' | 'forget'): unknown =>
    jest.spyOn(db.requests, method).mockImplementationOnce(() => {
      throw full;
    });

  test('refuses a request before it is executed, with the error of a file that cannot be written', async () => {
    fails('begin');
    const refused: unknown = await execute(never).catch(storageError);
    expect(refused).toMatchObject({ code: walletErrorRows.invalidWalletFilename.code });
  });

  test('reports an accepted send as accepted, and recovers it for a repeated request', async () => {
    fails('complete');
    const run: Run = async (observer) => {
      observer.submitting?.(send(HASH));
      return 'accepted';
    };
    expect(await execute(run)).toMatchObject({ text: '"accepted"' });
    const recover = (hashes: readonly string[]): Promise<string> => Promise.resolve(hashes.join());
    expect(await execute(never, { recover })).toMatchObject({ text: `"${HASH}"` });
  });

  test('reports why a request failed', async () => {
    fails('forget');
    await expect(execute(never)).rejects.toThrow('executed again');
  });
});

test('a refused transaction that another payment replaced is not rebuilt before that payment is final', async () => {
  const replaced = new Set<string>();
  const resubmit = async (): Promise<undefined> => undefined;
  const wallet = { db, snapshot: {}, resubmit, isReplaced: (hash: string) => replaced.has(hash) } as never;
  expect(await resubmitSends(wallet, [HASH])).toEqual([]);
  replaced.add(HASH);
  const { code } = walletErrorRows.idempotencyKeyUnderWay;
  await expect(resubmitSends(wallet, [HASH])).rejects.toMatchObject({ code });
});
