import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { FinishedJson } from '@wrkz/service-kit';
import { type FinishedSend, type KeptSend, type LeavingListener, SideFile } from '@wrkz/wallet-core';
import { type IdempotentRequest, IdempotentRequests } from '../src';

const folder = mkdtempSync(join(tmpdir(), 'wrkz-idempotency-'));
let sideFile: SideFile;
let requests: IdempotentRequests;

beforeEach(() => {
  sideFile = SideFile.open({ walletFile: join(folder, 'a.wallet'), wallet: 'w', expected: undefined, now: 1 });
  requests = new IdempotentRequests();
});

afterEach(() => {
  sideFile.close();
  rmSync(join(folder, 'a.wallet.side'));
});

afterAll(() => rmSync(folder, { recursive: true }));

const send = (hash: string): FinishedSend => ({
  ...{ hash, bytes: Buffer.of(1), fee: 1n, mixin: 1, defaultMixin: 1 },
  intent: {
    ...{ hash, fee: 1n, paymentId: '', transactionSecretKey: '', transfers: [], ownOutputs: [], inputs: [] },
  },
});
const HASH = 'ab'.repeat(32);

type Run = (watcher: LeavingListener) => Promise<string>;

function ask(run: Run, more: Partial<IdempotentRequest<string>> = {}): Promise<string | FinishedJson> {
  const wallet = { snapshot: { content: { privateViewKey: '0b'.repeat(32) } } };
  return requests.execute(
    { wallet: wallet as never, sideFile, now: () => 1 },
    {
      ...{ key: { owner: 'o', key: 'k' }, body: '{}', status: 200, mayBeNothing: false, run },
      recovered: async () => undefined,
      ...more,
    },
  );
}

const never: Run = () => Promise.reject(new Error('executed again'));

test('runs concurrent requests with one key one after the other until one succeeds', async () => {
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
  const outcomes = await Promise.allSettled(Array.from({ length: 5 }, () => ask(run)));
  expect(maxAtWork).toBe(1);
  expect(outcomes.map(({ status }) => status)).toEqual(['rejected', 'rejected', ...Array(3).fill('fulfilled')]);
  expect(tries).toBe(3);
});

test('runs requests of different owners concurrently', async () => {
  let release = (): void => undefined;
  const first = ask(() => new Promise((resolve) => (release = () => resolve('first'))));
  expect(String(((await ask(async () => 'second', { key: { owner: 'other', key: 'k' } })) as FinishedJson).text)).toBe(
    '"second"',
  );
  release();
  await first;
});

test('frees the key after a failure without a submitted transaction, also for another body', async () => {
  const failed: Run = (watcher) => {
    watcher.leaving(send(HASH));
    watcher.stayed(send(HASH));
    return Promise.reject(new Error('refused'));
  };
  await expect(ask(failed)).rejects.toThrow('refused');
  expect(await ask(async () => 'done', { body: '{"other":1}' })).toBeInstanceOf(FinishedJson);
});

test('binds the key to its request after a failure with a submitted transaction, and recovers it on repetition', async () => {
  const cut: Run = (watcher) => {
    watcher.leaving(send(HASH));
    return Promise.reject(new Error('cut'));
  };
  await expect(ask(cut)).rejects.toThrow('cut');
  await expect(ask(never, { body: '{"other":1}' })).rejects.toMatchObject({ code: 1002 });
  const asked: string[] = [];
  const recovered = async (sends: readonly KeptSend[]): Promise<string> => {
    asked.push(...sends.map(({ hash }) => hash));
    return 'it was there';
  };
  for (let i = 0; i < 2; i++) {
    const answer = await ask(never, { recovered });
    expect(String((answer as FinishedJson).text)).toBe('"it was there"');
  }
  expect(asked).toEqual([HASH]);
});

test('forgets an impossible transaction before it executes the request again', async () => {
  const cut =
    (hash: string): Run =>
    (watcher) => {
      watcher.leaving(send(hash));
      return Promise.reject(new Error('cut'));
    };
  await expect(ask(cut(HASH))).rejects.toThrow('cut');
  await expect(ask(cut('cd'.repeat(32)))).rejects.toThrow('cut');
  const recovered = async (sends: readonly KeptSend[]): Promise<string> => sends.map(({ hash }) => hash).join();
  expect(String(((await ask(never, { recovered })) as FinishedJson).text)).toBe(`"${'cd'.repeat(32)}"`);
});
