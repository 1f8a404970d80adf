import { alice, aliceWith, bob, FakeNode, portsOf } from '../transaction/support';
import { buildSend } from '../../src/transaction/build-send';
import type { SignedSend, SubmitResult, TransactionStatus } from '../../src/transaction/model';
import { type SubmitOutcome, submitSend } from '../../src/send/submit';

const wallet = aliceWith([50_000n, 50_000n]);
let built: SignedSend;
beforeAll(async () => {
  built = await buildSend({ destinations: [{ address: bob.address, amount: 20_000n }] }, wallet, portsOf());
});

const UNCLEAR: SubmitResult = { kind: 'uncertain', ended: false };
const GARBLED: SubmitResult = { kind: 'uncertain', ended: true };
const REFUSED: SubmitResult = { kind: 'refused', reason: 'Transaction uses locked input' };

const OUTCOMES: [string, SubmitResult | Error, TransactionStatus, SubmitOutcome['kind']][] = [
  ['accepted', { kind: 'accepted' }, 'unavailable', 'accepted'],
  ['refused', REFUSED, 'unknown', 'refused'],
  ['refused, and then the node is silent: it may have the transaction', REFUSED, 'unavailable', 'uncertain'],
  ['refused because it is in the pool', REFUSED, 'pool', 'accepted'],
  ['refused because it is mined', REFUSED, 'block', 'accepted'],
  ['no connection', { kind: 'unavailable' }, 'unavailable', 'unsent'],
  ['the response was lost, the transaction was not', UNCLEAR, 'pool', 'accepted'],
  ['the response was lost and it is mined', UNCLEAR, 'block', 'accepted'],
  ['the response was lost, it may be on its way', UNCLEAR, 'unknown', 'uncertain'],
  ['the response was lost and so is the node', UNCLEAR, 'unavailable', 'uncertain'],
  ['a transport error', new Error('socket hang up'), 'unknown', 'uncertain'],
  ['an invalid response', GARBLED, 'unknown', 'refused'],
  ['an invalid response, then silence', GARBLED, 'unavailable', 'uncertain'],
  ['an invalid response, but it is in the pool', GARBLED, 'pool', 'accepted'],
];

test.each(OUTCOMES)('%s', async (_name, result, status, expected) => {
  const node = new FakeNode();
  node.submitResults = [result];
  node.place = status;
  const { kind } = await submitSend(built, node);
  expect(kind).toBe(expected);
  expect(node.relayed).toEqual([built.bytes]);
});

test('a refusal has the reason of the node, and differs from an invalid response', async () => {
  const node = new FakeNode();
  node.submitResults = [REFUSED, GARBLED];
  expect(await submitSend(built, node)).toMatchObject({ reason: 'Transaction uses locked input', hasVerdict: true });
  expect(await submitSend(built, node)).toMatchObject({ reason: undefined, hasVerdict: false });
});

test('records everything of a send', () => {
  const { pending } = built;
  const sum = (list: readonly { amount: bigint }[]): bigint => list.reduce((total, { amount }) => total + amount, 0n);
  expect(pending.transfers).toEqual([
    { publicSpendKey: wallet.subWallets[0]?.publicSpendKey, amount: -20_000n - built.fee },
  ]);
  expect(sum(pending.ownOutputs)).toBe(sum(pending.inputs.map(({ output }) => output)) - 20_000n - built.fee);
  expect(pending).toMatchObject({ hash: built.hash, fee: built.fee, paymentId: '', unlockTime: 755n });
  expect(pending.transactionSecretKey).toMatch(/^[0-9a-f]{64}$/);
});

test('a payment to an own address is in the outputs and not in the transfers', async () => {
  const request = { destinations: [{ address: alice.address, amount: 777n }] };
  const { pending, fee } = await buildSend(request, aliceWith([50_000n]), portsOf());
  expect(pending.transfers.map(({ amount }) => amount)).toEqual([-777n - fee]);
  expect(pending.ownOutputs.reduce((total, { amount }) => total + amount, 0n)).toBe(50_000n - fee);
});

test('a refusal is uncertain if the status cannot be queried', async () => {
  const node = new FakeNode();
  node.submitResults = [REFUSED];
  node.transactionStatus = () => Promise.reject(new Error('socket hang up'));
  expect(await submitSend(built, node)).toEqual({ kind: 'uncertain' });
});
