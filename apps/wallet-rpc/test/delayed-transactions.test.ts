import { EventEmitter } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type HeldTransaction, type SignedSend, WalletDb, walletDbName, walletError } from '@wrkz/wallet-core';
import { DelayedTransactionQueue } from '../src/delayed-transactions';

const VIEW_KEY = '0b'.repeat(32);
const FIRST = 'ff'.repeat(32);
const SECOND = '11'.repeat(32);
const folder = mkdtempSync(join(tmpdir(), 'wrkz-delayed-'));
let db: WalletDb;

beforeEach(() => {
  db = WalletDb.open({ walletFile: join(folder, 'a.wallet'), privateViewKey: VIEW_KEY, expected: undefined, now: 1 });
});

afterEach(() => {
  db.close();
  rmSync(walletDbName(join(folder, 'a.wallet')));
});

afterAll(() => rmSync(folder, { recursive: true }));

const built = (hash: string): SignedSend => ({
  ...{ hash, bytes: Buffer.of(1), fee: 1n, mixin: 1, defaultMixin: 1 },
  pending: {
    ...{
      hash,
      fee: 1n,
      paymentId: '',
      transactionSecretKey: '',
      transfers: [],
      ownOutputs: [],
      inputs: [],
      unlockTime: 0n,
    },
  },
  rings: [],
});

/** The parts of a wallet that the queue uses. */
class Wallet extends EventEmitter {
  readonly held = new Set<string>();
  readonly mined = new Set<string>();
  readonly listed = new Set<string>();
  readonly told: string[] = [];
  readonly db = db;
  readonly dbIfUsable = db;
  answer: () => Promise<void> = async () => undefined;

  readonly snapshot = {
    content: { privateViewKey: VIEW_KEY },
    transaction: (hash: string) => (this.mined.has(hash) ? { hash } : undefined),
    unconfirmed: () => Array.from(this.listed, (hash) => ({ hash })),
  };

  hold(transactions: readonly HeldTransaction[]): void {
    for (const { hash } of transactions) this.held.add(hash);
  }

  unhold(hashes: readonly string[]): void {
    for (const hash of hashes) this.held.delete(hash);
  }

  sendDelayed(): Promise<void> {
    return this.answer();
  }

  /** The queue of a new run. */
  queue(): DelayedTransactionQueue {
    const sent = ({ hash }: SignedSend): void => void this.told.push(hash);
    const queue = new DelayedTransactionQueue({ wallet: this as never, now: () => 1, sent });
    queue.start();
    return queue;
  }
}

/** As created and answered. */
function add(hash: string, created = 1): void {
  db.delayed.add({ hash, created, signed: built(hash) });
}

const state = (hash: string): string | undefined => db.delayed.get(hash)?.state;

test('a start holds what waits and what was on its way, and knows what has come into a block meanwhile', () => {
  add(FIRST);
  add(SECOND);
  // The second one waited: another program brought it out, or it was given up and came into a block after all.
  const mined = ['22'.repeat(32), '33'.repeat(32)] as const;
  for (const hash of mined) add(hash);
  for (const hash of [SECOND, mined[0]]) db.delayed.move(hash, 'delayed', 'sending');
  const wallet = new Wallet();
  for (const hash of mined) wallet.mined.add(hash);
  const queue = wallet.queue();
  expect([...wallet.held].sort()).toEqual([SECOND, FIRST]);
  expect(mined.map(state)).toEqual(['sent', 'sent']);
  expect(queue.hashes()).toEqual([SECOND, FIRST]);
});

test('starts although a stored row is damaged', () => {
  jest.spyOn(db.delayed, 'inState').mockImplementationOnce(() => {
    throw walletError.walletDatabaseDamaged('table delayed');
  });
  expect(() => new Wallet().queue()).not.toThrow();
});

test('those that may be sent are told in the order of their making, one that was cut off on its way in its place', () => {
  add(FIRST, 1);
  add(SECOND, 2);
  db.delayed.move(FIRST, 'delayed', 'sending');
  expect(new Wallet().queue().hashes()).toEqual([FIRST, SECOND]);
});

test('a block that holds one ends its waiting, whoever brought it out', () => {
  add(FIRST);
  add(SECOND);
  const wallet = new Wallet();
  const queue = wallet.queue();
  db.delayed.move(FIRST, 'delayed', 'sending');
  for (const hash of [FIRST, SECOND]) wallet.emit('transaction', { hash });
  expect([state(FIRST), state(SECOND), queue.hashes()]).toEqual(['sent', 'sent', []]);
});

test('one that the wallet gives up waits again; one that was sent does not', async () => {
  add(FIRST);
  add(SECOND);
  const wallet = new Wallet();
  const queue = wallet.queue();
  wallet.answer = () => Promise.reject(walletError.daemonStillProcessing());
  await expect(queue.send(FIRST)).rejects.toMatchObject({ code: 55 });
  expect(state(FIRST)).toBe('sending');
  wallet.answer = async () => undefined;
  await queue.send(SECOND);
  for (const hash of [FIRST, SECOND]) wallet.emit('event', { kind: 'send-given-up', transaction: hash });
  expect([state(FIRST), state(SECOND)]).toEqual(['delayed', 'sent']);
});

test('while one is on its way it is sent by nobody else and not deleted; then it is told once and holds nothing', async () => {
  add(FIRST);
  const wallet = new Wallet();
  const queue = wallet.queue();
  let done = (): void => undefined;
  wallet.answer = () => new Promise((resolve) => (done = resolve));
  const sending = queue.send(FIRST);
  await expect(queue.send(FIRST)).rejects.toMatchObject({ data: { application_code: 15 } });
  expect(() => queue.remove(FIRST)).toThrow('Impossible to cancel transaction');
  expect(queue.hashes()).toEqual([]);
  done();
  await sending;
  expect([wallet.told, [...wallet.held], state(FIRST)]).toEqual([[FIRST], [], 'sent']);
});

test('one that may have left before is given up by a refusal alone, not by a node that is away', async () => {
  add(FIRST);
  db.delayed.move(FIRST, 'delayed', 'sending');
  const wallet = new Wallet();
  const queue = wallet.queue();
  wallet.answer = () => Promise.reject(walletError.daemonOffline());
  await expect(queue.send(FIRST)).rejects.toBeDefined();
  expect(state(FIRST)).toBe('sending');
  wallet.answer = () => Promise.reject(walletError.daemonError());
  await expect(queue.send(FIRST)).rejects.toBeDefined();
  expect(state(FIRST)).toBe('delayed');
});

test('one that is deleted holds nothing any more', () => {
  add(FIRST);
  const wallet = new Wallet();
  const queue = wallet.queue();
  queue.remove(FIRST);
  expect([[...wallet.held], state(FIRST), queue.hashes()]).toEqual([[], 'deleted', []]);
});

test('what waits stays taken when the pool has lost it; what was sent is let go', async () => {
  add(FIRST);
  add(SECOND);
  const wallet = new Wallet();
  const queue = wallet.queue();
  await queue.send(SECOND);
  wallet.held.add(SECOND);
  queue.release([FIRST, SECOND]);
  expect([...wallet.held]).toEqual([FIRST]);
});
