import { alice, aliceWith, bob, FakeNode, NOW, outputFor, portsOf, subWalletOf, viewOf } from './support';
import {
  buildSend,
  type BuiltSend,
  dispatchSend,
  PreparedSends,
  type RelayAnswer,
  type SendBook,
  type Whereabouts,
} from '../../src/build';

const wallet = aliceWith([50_000n, 50_000n]);
let built: BuiltSend;
beforeAll(async () => {
  built = await buildSend({ destinations: [{ address: bob.address, amount: 20_000n }] }, wallet, portsOf());
});

/** A book in memory that tells what was done in which order. */
class Book implements SendBook {
  readonly held = new Set<string>();
  readonly events: string[] = [];

  record({ hash }: BuiltSend): Promise<boolean> {
    this.events.push('record');
    const isFirst = !this.held.has(hash);
    this.held.add(hash);
    return Promise.resolve(isFirst);
  }

  cancel(hash: string): Promise<void> {
    this.events.push('cancel');
    this.held.delete(hash);
    return Promise.resolve();
  }
}

const UNCLEAR: RelayAnswer = { kind: 'unclear', ended: false };
const GARBLED: RelayAnswer = { kind: 'unclear', ended: true };
const REFUSED: RelayAnswer = { kind: 'refused', reason: 'Transaction uses locked input' };

/** What the node says, where the transaction is, the code (0: it went out), and whether it stays written down. */
const OUTCOMES: [string, RelayAnswer | Error, Whereabouts, number, boolean][] = [
  ['taken', { kind: 'accepted' }, 'unavailable', 0, true],
  ['refused', REFUSED, 'unknown', 31, false],
  ['refused, and nothing more is heard: the word of a node that may have it', REFUSED, 'unavailable', 55, true],
  ['refused because it is there', REFUSED, 'pool', 0, true],
  ['refused because it is mined', REFUSED, 'block', 0, true],
  ['not reached', { kind: 'unavailable' }, 'unavailable', 30, false],
  ['the answer was lost, the transaction was not', UNCLEAR, 'pool', 0, true],
  ['the answer was lost and it is mined', UNCLEAR, 'block', 0, true],
  ['the answer was lost, it may be on its way', UNCLEAR, 'unknown', 55, true],
  ['the answer was lost and so is the node', UNCLEAR, 'unavailable', 55, true],
  ['an error on the way', new Error('socket hang up'), 'unknown', 55, true],
  ['nonsense for an answer', GARBLED, 'unknown', 30, false],
  ['nonsense, then silence', GARBLED, 'unavailable', 55, true],
  ['nonsense, but it is there', GARBLED, 'pool', 0, true],
];

test.each(OUTCOMES)('%s', async (_name, answer, place, code, stays) => {
  const node = new FakeNode();
  node.relayAnswers = [answer];
  node.place = place;
  const book = new Book();
  const outcome = await dispatchSend(built, book, node).then(
    () => 0,
    (error: { code: number }) => error.code,
  );
  expect(outcome).toBe(code);
  expect(book.events[0]).toBe('record');
  expect(book.held.has(built.hash)).toBe(stays);
  expect(node.relayed).toEqual([built.bytes]);
});

test('the refusal of a node is told in its words', async () => {
  const node = new FakeNode();
  node.relayAnswers = [REFUSED];
  await expect(dispatchSend(built, new Book(), node)).rejects.toThrow('Transaction uses locked input');
  node.relayAnswers = [{ kind: 'refused', reason: undefined }];
  await expect(dispatchSend(built, new Book(), node)).rejects.toThrow('An error occured whilst the daemon processed');
});

test('a send that cannot be written down does not leave', async () => {
  const node = new FakeNode();
  const book = new Book();
  book.record = () => Promise.reject(new Error('disk full'));
  await expect(dispatchSend(built, book, node)).rejects.toThrow('disk full');
  expect(node.relayed).toEqual([]);
});

test('the repetition of a lost send is never taken back: the first may have arrived', async () => {
  const book = new Book();
  const node = new FakeNode();
  node.relayAnswers = [UNCLEAR, { kind: 'unavailable' }, REFUSED, GARBLED, { kind: 'accepted' }];
  const codes: number[] = [];
  for (let i = 0; i < 5; i++) {
    await dispatchSend(built, book, node).then(
      () => codes.push(0),
      ({ code }: { code: number }) => codes.push(code),
    );
  }
  expect(codes).toEqual([55, 30, 31, 30, 0]);
  expect(book.events).toEqual(['record', 'record', 'record', 'record', 'record']);
});

test('what is written down of a send is all of it', () => {
  const { intent } = built;
  const sum = (list: readonly { amount: bigint }[]): bigint => list.reduce((total, { amount }) => total + amount, 0n);
  expect(intent.transfers).toEqual([
    { publicSpendKey: wallet.subWallets[0]?.publicSpendKey, amount: -20_000n - built.fee },
  ]);
  expect(sum(intent.ownOutputs)).toBe(sum(intent.inputs.map(({ output }) => output)) - 20_000n - built.fee);
  expect(intent).toMatchObject({ hash: built.hash, fee: built.fee, paymentId: '', unlockTime: 755n });
  expect(intent.transactionSecretKey).toMatch(/^[0-9a-f]{64}$/);
});

test('a payment to oneself comes back in its outputs and not in its transfers, as wallets show it', async () => {
  const request = { destinations: [{ address: alice.address, amount: 777n }] };
  const { intent, fee } = await buildSend(request, aliceWith([50_000n]), portsOf());
  expect(intent.transfers.map(({ amount }) => amount)).toEqual([-777n - fee]);
  expect(intent.ownOutputs.reduce((total, { amount }) => total + amount, 0n)).toBe(50_000n - fee);
});

describe('prepared transactions', () => {
  test('wait for their owner, by hash in any case', () => {
    const prepared = new PreparedSends();
    prepared.add(built);
    expect(prepared.take(built.hash.toUpperCase(), wallet, NOW)).toBe(built);
    expect(prepared.forget(built.hash)).toBe(true);
    expect(prepared.forget(built.hash)).toBe(false);
    expect(() => prepared.take(built.hash, wallet, NOW)).toThrow(expect.objectContaining({ code: 58 }));
  });

  test('are dropped once when their inputs are gone: 57, then 58', () => {
    const prepared = new PreparedSends();
    prepared.add(built);
    const spent = { ...wallet, subWallets: [{ ...wallet.subWallets[0]!, unspent: [outputFor(alice, 50_000n)] }] };
    expect(() => prepared.take(built.hash, spent, NOW)).toThrow(expect.objectContaining({ code: 57 }));
    expect(() => prepared.take(built.hash, wallet, NOW)).toThrow(expect.objectContaining({ code: 58 }));
  });

  test('may be sent again when the answer was lost: their inputs are locked by themselves', () => {
    const prepared = new PreparedSends();
    prepared.add(built);
    const [own] = wallet.subWallets;
    const lockedBy = (spendingTransactionHash: string) =>
      viewOf([
        subWalletOf(alice, [], { locked: own!.unspent.map((output) => ({ ...output, spendingTransactionHash })) }),
      ]);
    expect(prepared.take(built.hash, lockedBy(built.hash), NOW)).toBe(built);
    expect(() => prepared.take(built.hash, lockedBy('00'.repeat(32)), NOW)).toThrow(
      expect.objectContaining({ code: 57 }),
    );
  });

  test('are bounded: the oldest goes', () => {
    const prepared = new PreparedSends();
    for (let i = 0; i <= 1000; i++) prepared.add({ ...built, hash: String(i) });
    expect(prepared.forget('0')).toBe(false);
    expect(prepared.forget('1')).toBe(true);
    prepared.clear();
    expect(prepared.forget('2')).toBe(false);
  });
});
