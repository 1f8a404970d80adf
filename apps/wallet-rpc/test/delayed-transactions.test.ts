import { EventEmitter } from 'node:events';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type HeldTransaction, type SignedSend, WalletDb, walletError } from '@wrkz/wallet-core';
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
  for (const name of readdirSync(folder)) rmSync(join(folder, name));
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
  readonly reported: string[] = [];
  readonly db = db;
  readonly dbIfUsable = db;
  respond: () => Promise<void> = async () => undefined;

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
    return this.respond();
  }

  /** The queue after a restart. */
  queue(): DelayedTransactionQueue {
    const sent = ({ hash }: SignedSend): void => void this.reported.push(hash);
    const queue = new DelayedTransactionQueue({ wallet: this as never, now: () => 1, sent });
    queue.start();
    return queue;
  }
}

/** Creates the state after createDelayedTransaction. */
function add(hash: string, created = 1): void {
  db.delayed.add({ hash, created, signed: built(hash) });
}

const state = (hash: string): string | undefined => db.delayed.get(hash)?.state;

test('after a restart the inputs of waiting and submitted transactions are locked, those of mined ones are not', () => {
  add(FIRST);
  add(SECOND);
  // The second one was waiting: another program submitted it, or it was mined after it was given up.
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

test('lists sendable transactions in the order of their creation, interrupted submissions included', () => {
  add(FIRST, 1);
  add(SECOND, 2);
  db.delayed.move(FIRST, 'delayed', 'sending');
  expect(new Wallet().queue().hashes()).toEqual([FIRST, SECOND]);
});

test('a mined transaction is no longer waiting, even if another program submitted it', () => {
  add(FIRST);
  add(SECOND);
  const wallet = new Wallet();
  const queue = wallet.queue();
  db.delayed.move(FIRST, 'delayed', 'sending');
  for (const hash of [FIRST, SECOND]) wallet.emit('transaction', { hash });
  expect([state(FIRST), state(SECOND), queue.hashes()]).toEqual(['sent', 'sent', []]);
});

test('a transaction that the wallet gives up waits again, unless it was sent', async () => {
  add(FIRST);
  add(SECOND);
  const wallet = new Wallet();
  const queue = wallet.queue();
  wallet.respond = () => Promise.reject(walletError.daemonStillProcessing());
  await expect(queue.send(FIRST)).rejects.toMatchObject({ code: 55 });
  expect(state(FIRST)).toBe('sending');
  wallet.respond = async () => undefined;
  await queue.send(SECOND);
  for (const hash of [FIRST, SECOND]) wallet.emit('event', { kind: 'send-given-up', transaction: hash });
  expect([state(FIRST), state(SECOND)]).toEqual(['delayed', 'sent']);
});

test('a transaction is neither sent again nor deleted during its submission, and is reported once', async () => {
  add(FIRST);
  const wallet = new Wallet();
  const queue = wallet.queue();
  let done = (): void => undefined;
  wallet.respond = () => new Promise((resolve) => (done = resolve));
  const sending = queue.send(FIRST);
  await expect(queue.send(FIRST)).rejects.toMatchObject({ data: { application_code: 15 } });
  expect(() => queue.remove(FIRST)).toThrow('Impossible to cancel transaction');
  expect(queue.hashes()).toEqual([]);
  done();
  await sending;
  expect([wallet.reported, [...wallet.held], state(FIRST)]).toEqual([[FIRST], [], 'sent']);
});

test('an uncertain transaction is given up after a refusal, not after an unavailable node', async () => {
  add(FIRST);
  db.delayed.move(FIRST, 'delayed', 'sending');
  const wallet = new Wallet();
  const queue = wallet.queue();
  wallet.respond = () => Promise.reject(walletError.daemonOffline());
  await expect(queue.send(FIRST)).rejects.toBeDefined();
  expect(state(FIRST)).toBe('sending');
  wallet.respond = () => Promise.reject(walletError.daemonError());
  await expect(queue.send(FIRST)).rejects.toBeDefined();
  expect(state(FIRST)).toBe('delayed');
});

test('the inputs of a deleted transaction are unlocked', () => {
  add(FIRST);
  const wallet = new Wallet();
  const queue = wallet.queue();
  queue.remove(FIRST);
  expect([[...wallet.held], state(FIRST), queue.hashes()]).toEqual([[], 'deleted', []]);
});

test('inputs of a waiting transaction stay locked when the pool drops it; those of a sent one are unlocked', async () => {
  add(FIRST);
  add(SECOND);
  const wallet = new Wallet();
  const queue = wallet.queue();
  await queue.send(SECOND);
  wallet.held.add(SECOND);
  queue.release([FIRST, SECOND]);
  expect([...wallet.held]).toEqual([FIRST]);
});

test('a disk that is full after the submission does not hide its outcome', async () => {
  add(FIRST);
  add(SECOND);
  const wallet = new Wallet();
  const queue = wallet.queue();
  const full = (): Promise<void> => {
    jest.spyOn(db.delayed, 'move').mockImplementation(() => {
      throw new Error('database or disk is full');
    });
    return Promise.resolve();
  };
  wallet.respond = full;
  await queue.send(FIRST);
  jest.restoreAllMocks();
  expect([wallet.reported, [...wallet.held], state(FIRST)]).toEqual([[FIRST], [SECOND], 'sending']);
  wallet.emit('transaction', { hash: FIRST });
  expect(state(FIRST)).toBe('sent');
  wallet.respond = () => full().then(() => Promise.reject(walletError.daemonError()));
  await expect(queue.send(SECOND)).rejects.toEqual(walletError.daemonError());
  jest.restoreAllMocks();
  expect(queue.hashes()).toEqual([SECOND]);
});

test('a transaction that certainly reached no node can be deleted, although that could not be stored', async () => {
  add(FIRST);
  const wallet = new Wallet();
  const queue = wallet.queue();
  // Neither the send nor its failure can be stored: nothing was submitted.
  wallet.respond = () => {
    jest.spyOn(db.delayed, 'move').mockImplementation(() => {
      throw new Error('database or disk is full');
    });
    return Promise.reject(walletError.invalidWalletFilename());
  };
  await expect(queue.send(FIRST)).rejects.toMatchObject(walletError.invalidWalletFilename());
  jest.restoreAllMocks();
  expect(state(FIRST)).toBe('sending');
  queue.remove(FIRST);
  expect([state(FIRST), [...wallet.held]]).toEqual(['deleted', []]);
});

test.each([
  ['refused', 'deleted'],
  ['givenUp', 'deleted'],
  ['pending', 'sending'],
  ['confirmed', 'sending'],
] as const)('a submitted transaction whose send is %s is then %s', (sendState, end) => {
  add(FIRST);
  db.delayed.move(FIRST, 'delayed', 'sending');
  db.sends.put({ hash: FIRST, state: sendState, created: 1, signed: built(FIRST) });
  const queue = new Wallet().queue();
  const remove = (): void => queue.remove(FIRST);
  if (end === 'deleted') remove();
  else expect(remove).toThrow('Impossible to cancel transaction');
  expect(state(FIRST)).toBe(end);
});

test('a submitted transaction whose send may be among dropped rows cannot be deleted', () => {
  add(FIRST);
  db.delayed.move(FIRST, 'delayed', 'sending');
  db.dropDamagedRows(1);
  const queue = new Wallet().queue();
  expect(() => queue.remove(FIRST)).toThrow('Impossible to cancel transaction');
});
