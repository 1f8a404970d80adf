import { encodeAddress } from '@wrkz/core-types';
import { alice, aliceWith, bob, FakeNode, NOW, outputFor, owner, portsOf, subWalletOf, viewOf } from './support';
import { buildSend } from '../../src/transaction/build-send';
import type { SendRequest, SendContext } from '../../src/transaction/model';

/* The refusals of a send, each provoked, and their order (docs/protocol/wallet.md#order-of-checks). */

const LONG_ID = 'ab'.repeat(32);
const OTHER_ID = 'cd'.repeat(32);
const SHORT_ID = '1122334455667788';
const carol = owner('carol');
const integrated = (paymentId: string): string =>
  encodeAddress({ spendPublic: bob.spendPublic, viewPublic: bob.viewPublic, paymentId });
const damaged = (address: string): string => address.slice(0, -1) + (address.endsWith('1') ? '2' : '1');
const to = (address: string, amount = 1000n) => ({ address, amount });
const wallet = aliceWith([700n, 50_000n, 50_000n, 9_000_000n]);

async function codeOf(
  request: Partial<SendRequest>,
  view: SendContext = wallet,
  node = new FakeNode(),
): Promise<number> {
  const whole: SendRequest = { destinations: [to(bob.address)], ...request };
  return buildSend(whole, view, portsOf(node)).then(
    () => 0,
    (error: Error & { code?: number }) => error.code ?? fail(error),
  );
}

function fail(error: Error): never {
  throw error;
}

const few = new FakeNode((sets) => ({ kind: 'outs', sets: sets.map((set) => ({ ...set, outputs: [] })) }));

type Row = [string, number, Partial<SendRequest>, (SendContext | undefined)?, FakeNode?];

/** Each row: what is wrong, and the code. They stand in the order in which they are looked for. */
const ROWS: Row[] = [
  ['a view wallet', 39, {}, { ...wallet, isViewWallet: true }],
  ['extra that is not hex', 53, { extra: 'xyz' }],
  ['extra of an odd length', 53, { extra: 'abc' }],
  ['no destinations', 18, { destinations: [] }],
  ['an amount of zero', 19, { destinations: [to(bob.address), to('no address', 0n)] }],
  ['an address of the wrong length', 12, { destinations: [to('Wrkz')] }],
  ['an address of another coin', 13, { destinations: [to('X' + bob.address.slice(1))] }],
  ['a damaged integrated address', 14, { destinations: [to(damaged(integrated(LONG_ID)))] }],
  ['a damaged address', 15, { destinations: [to(bob.address), to(damaged(bob.address))] }],
  ['an integrated address and another id', 26, { destinations: [to(integrated(LONG_ID))], paymentId: OTHER_ID }],
  ['the same id in another case', 26, { destinations: [to(integrated(LONG_ID))], paymentId: LONG_ID.toUpperCase() }],
  ['two integrated addresses', 26, { destinations: [to(integrated(LONG_ID)), to(integrated(OTHER_ID))] }],
  ['a source of the wrong length', 12, { sourceAddresses: [''] }],
  ['an integrated source', 25, { sourceAddresses: [integrated(LONG_ID)] }],
  ['a damaged source behind a strange one', 15, { sourceAddresses: [bob.address, damaged(alice.address)] }],
  ['a strange source', 10, { sourceAddresses: [alice.address, bob.address] }],
  ['a rate below the least', 17, { fee: { kind: 'perByte', rate: 0.078 } }],
  ['a rate that is no number', 17, { fee: { kind: 'perByte', rate: NaN } }],
  ['more than 64 bits', 9, { destinations: [to(bob.address, 2n ** 64n - 1n), to(bob.address, 2n)] }],
  ['a fee beyond 64 bits', 9, { fee: { kind: 'fixed', amount: 2n ** 64n - 1n } }],
  ['more than there is', 11, { destinations: [to(bob.address, 9_100_701n)] }],
  ['a fixed fee that is not there', 11, { fee: { kind: 'fixed', amount: 9_100_700n } }],
  ['a ring too small', 21, { mixin: 0 }],
  ['a ring too large', 22, { mixin: 2n ** 64n - 1n }],
  ['a payment id of the wrong length', 23, { paymentId: 'zz' }],
  ['a payment id that is not hex', 24, { paymentId: 'g'.repeat(64) }],
  ['a short payment id that is not hex', 24, { paymentId: 'g'.repeat(16) }],
  ['a damaged change address', 15, { changeAddress: damaged(alice.address) }],
  ['an integrated change address', 25, { changeAddress: integrated(LONG_ID) }],
  ['a strange change address', 10, { changeAddress: bob.address }],
  ['an unlock time too near', 60, { unlockTime: 734n }],
  ['an unlock time in the past', 60, { unlockTime: 1_700_000_000n }],
  ['a short payment id for two', 61, { destinations: [to(bob.address), to(carol.address)], paymentId: SHORT_ID }],
  [
    'an output without a number',
    31,
    {},
    viewOf([subWalletOf(alice, [outputFor(alice, 9_000n, { globalIndex: undefined })])]),
  ],
  ['a node that is away', 30, {}, undefined, new FakeNode(() => ({ kind: 'unavailable' }))],
  ['a node without others', 28, {}, undefined, few],
  ['a node that says so', 28, {}, undefined, new FakeNode(() => ({ kind: 'tooFew' }))],
  ['too many outputs', 56, { destinations: Array.from({ length: 40 }, () => to(bob.address, 111n)) }],
  ['an extra that no pool takes', 31, { extra: 'ab'.repeat(2000) }],
  ['a fixed fee below the least', 17, { fee: { kind: 'fixed', amount: 5n } }],
];

test.each(ROWS)('%s: %d', async (...[, code, request, view, node]: Row) => {
  expect(await codeOf(request, view, node)).toBe(code);
});

test('what leaves no room for the fee: 11', async () => {
  expect(await codeOf({ destinations: [to(bob.address, 9_100_700n)] })).toBe(11);
  for (const rate of [1e9, 1e300, Infinity]) expect(await codeOf({ fee: { kind: 'perByte', rate } })).toBe(11);
});

test('a request without a fault is built', async () => {
  expect(await codeOf({ paymentId: LONG_ID, destinations: [to(integrated(LONG_ID))] })).toBe(0);
  expect(await codeOf({ unlockTime: 735n })).toBe(0);
  expect(await codeOf({ unlockTime: 500_000_000n })).toBe(0);
  expect(await codeOf({ unlockTime: 2n ** 64n - 1n })).toBe(0);
  expect(await codeOf({ unlockTime: BigInt(NOW + 900) })).toBe(0);
  expect(await codeOf({ changeAddress: '', sourceAddresses: [] })).toBe(0);
  expect(await codeOf({ destinations: [to(bob.address, 1n)] })).toBe(0);
});

test('of two faults the first in the order is told', async () => {
  const faults = ROWS.filter(([, code, , view, node]) => view === undefined && node === undefined && code !== 28);
  for (const [i, [name, code, request]] of faults.entries()) {
    for (const [later, , more] of faults.slice(i + 1)) {
      const shared = Object.keys(request).some((member) => member in more);
      if (shared) continue; // one member cannot hold two values
      expect([name, later, await codeOf({ ...more, ...request })]).toEqual([name, later, code]);
    }
  }
});

test('a source given twice gives its inputs once', async () => {
  const view = aliceWith([50_000n, 50_000n]);
  const source = [alice.address, alice.address, alice.address];
  expect(await codeOf({ sourceAddresses: source, destinations: [to(bob.address, 120_000n)] }, view)).toBe(11);
  const built = await buildSend({ destinations: [to(bob.address, 90_000n)], sourceAddresses: source }, view, portsOf());
  expect(new Set(built.pending.inputs.map(({ output }) => output.key)).size).toBe(2);
});

test('an output listed twice is counted and spent once', async () => {
  const twice = outputFor(alice, 50_000n);
  const view = viewOf([subWalletOf(alice, [twice, { ...twice, globalIndex: 3 }])]);
  expect(await codeOf({ destinations: [to(bob.address, 60_000n)] }, view)).toBe(11);
});

test('what lacks its number is left alone while the rest suffices', async () => {
  const view = viewOf([
    subWalletOf(alice, [outputFor(alice, 100n, { globalIndex: undefined }), outputFor(alice, 9_000n)]),
  ]);
  const built = await buildSend({ destinations: [to(bob.address)] }, view, portsOf());
  expect(built.pending.inputs.map(({ output }) => output.amount)).toEqual([9_000n]);
});

test('a container with a wrong key signs nothing', async () => {
  const right = outputFor(alice, 50_000n);
  const zeros = '0'.repeat(64);
  const beyond = 'f'.repeat(64);
  const wrong = [
    subWalletOf(alice, [{ ...right, key: outputFor(alice, 1n).key }]),
    subWalletOf(alice, [{ ...right, keyImage: outputFor(alice, 1n).keyImage }]),
    subWalletOf(alice, [{ ...right, transactionPublicKey: beyond }]),
    subWalletOf(alice, [{ ...right, outputIndex: right.outputIndex + 1 }]),
    ...[zeros, beyond, '', undefined].map((privateSpendKey) => subWalletOf(alice, [right], { privateSpendKey })),
  ];
  for (const subWallet of wrong) expect(await codeOf({}, viewOf([subWallet]))).toBe(20);
  for (const privateViewKey of [zeros, beyond, '']) {
    expect(await codeOf({}, viewOf([subWalletOf(alice, [right])], { privateViewKey }))).toBe(20);
  }
});

test('nothing is sent to keys that are nobody’s', async () => {
  const identity = Buffer.concat([Buffer.of(1), Buffer.alloc(31)]);
  // The point of order two: y = -1.
  const torsion = Buffer.from('ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f', 'hex');
  for (const key of [identity, torsion]) {
    expect(await codeOf({ destinations: [to(encodeAddress({ spendPublic: key, viewPublic: bob.viewPublic }))] })).toBe(
      15,
    );
    expect(await codeOf({ destinations: [to(encodeAddress({ spendPublic: bob.spendPublic, viewPublic: key }))] })).toBe(
      15,
    );
  }
});

test('locks that the node has not opened yet are left alone', async () => {
  const view = viewOf(
    [subWalletOf(alice, [outputFor(alice, 50_000n, { unlockTime: 730n }), outputFor(alice, 9_000n)])],
    {
      localHeight: 720,
      networkHeight: 740,
    },
  );
  expect(await codeOf({ destinations: [to(bob.address, 20_000n)] }, view)).toBe(11);
});

test('the texts are those of the network', async () => {
  const request = (more: Partial<SendRequest>): SendRequest => ({ destinations: [to(bob.address)], ...more });
  const text = (more: Partial<SendRequest>, node?: FakeNode) => buildSend(request(more), wallet, portsOf(node));
  await expect(text({ mixin: 8 })).rejects.toThrow(
    'The mixin value given (8) is greater than the maximum mixin allowed (7)',
  );
  await expect(text({ changeAddress: bob.address })).rejects.toThrow(
    `The address given (${bob.address}) does not exist in the wallet container, but it is required to exist for this operation.`,
  );
  await expect(text({ extra: 'ab'.repeat(2000) })).rejects.toThrow('Transaction extra too large');
  await expect(text({ mixin: 1 }, few)).rejects.toThrow(
    'Failed to get enough matching outputs for amount 700 (7.00 WRKZ). Requested outputs: 1, found outputs: 0.',
  );
});

test('change that comes apart into more pieces than guessed is paid for', async () => {
  const view = aliceWith([9_000_000n]);
  const built = await buildSend({ destinations: [to(bob.address, 8_000_000n)] }, view, portsOf());
  expect(built.pending.ownOutputs.length).toBeGreaterThan(4);
  expect(built.fee).toBe(BigInt(10 * Math.ceil(built.bytes.length / 128)));
});
