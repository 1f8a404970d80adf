import { encodeAddress } from '@wrkz/core-types';
import { alice, aliceWith, bob, FakeNode, NOW, outputFor, owner, portsOf, subWalletOf, viewOf } from './support';
import { walletError } from '../../src/errors';
import { buildSend } from '../../src/transaction/build-send';
import type { WalletOutput } from '../../src/ledger/model';
import type { ContestedSend, SendRequest, SendContext } from '../../src/transaction/model';
import type { WalletErrorName } from '../../src/error-table';
import { errorNameOf } from '../support/rejection';

/* The errors of a send and the order of the checks (docs/protocol/wallet.md#order-of-checks). */

const LONG_ID = 'ab'.repeat(32);
const OTHER_ID = 'cd'.repeat(32);
const SHORT_ID = '1122334455667788';
const carol = owner('carol');
const integrated = (paymentId: string): string =>
  encodeAddress({ spendPublic: bob.spendPublic, viewPublic: bob.viewPublic, paymentId });
const damaged = (address: string): string => address.slice(0, -1) + (address.endsWith('1') ? '2' : '1');
const to = (address: string, amount = 1000n) => ({ address, amount });
const wallet = aliceWith([700n, 50_000n, 50_000n, 9_000_000n]);

/** The name of the error that a request is refused with; `success` if it is built. */
function outcomeOf(request: Partial<SendRequest>, view = wallet, node = new FakeNode()): Promise<WalletErrorName> {
  const whole: SendRequest = { destinations: [to(bob.address)], ...request };
  const success = buildSend(whole, view, portsOf(node)).then(() => {
    throw walletError.success();
  });
  return errorNameOf(success);
}

const nodeWithoutDecoys = new FakeNode((sets) => ({
  kind: 'outs',
  sets: sets.map((set) => ({ ...set, outputs: [] })),
}));

type Row = [string, WalletErrorName, Partial<SendRequest>, (SendContext | undefined)?, FakeNode?];

/** Invalid requests and the names of their errors, in the order of the checks. */
const ROWS: Row[] = [
  ['a view wallet', 'illegalViewWalletOperation', {}, { ...wallet, isViewWallet: true }],
  ['extra that is not hex', 'invalidExtraData', { extra: 'xyz' }],
  ['extra of an odd length', 'invalidExtraData', { extra: 'abc' }],
  ['no destinations', 'noDestinationsGiven', { destinations: [] }],
  ['an amount of zero', 'amountIsZero', { destinations: [to(bob.address), to('no address', 0n)] }],
  ['an address of the wrong length', 'addressWrongLength', { destinations: [to('Wrkz')] }],
  ['an address of another coin', 'addressWrongPrefix', { destinations: [to('X' + bob.address.slice(1))] }],
  ['a damaged integrated address', 'addressNotBase58', { destinations: [to(damaged(integrated(LONG_ID)))] }],
  ['a damaged address', 'addressNotValid', { destinations: [to(bob.address), to(damaged(bob.address))] }],
  [
    'an integrated address with another payment id',
    'conflictingPaymentIds',
    { destinations: [to(integrated(LONG_ID))], paymentId: OTHER_ID },
  ],
  [
    'the same payment id in another case',
    'conflictingPaymentIds',
    { destinations: [to(integrated(LONG_ID))], paymentId: LONG_ID.toUpperCase() },
  ],
  [
    'two integrated addresses',
    'conflictingPaymentIds',
    { destinations: [to(integrated(LONG_ID)), to(integrated(OTHER_ID))] },
  ],
  ['a source of the wrong length', 'addressWrongLength', { sourceAddresses: [''] }],
  ['an integrated source', 'addressIsIntegrated', { sourceAddresses: [integrated(LONG_ID)] }],
  [
    'a damaged source after a foreign one',
    'addressNotValid',
    { sourceAddresses: [bob.address, damaged(alice.address)] },
  ],
  ['a foreign source', 'addressNotInWallet', { sourceAddresses: [alice.address, bob.address] }],
  ['a rate below the minimum', 'feeTooSmall', { fee: { kind: 'perByte', rate: 0.078 } }],
  ['a rate that is not a number', 'feeTooSmall', { fee: { kind: 'perByte', rate: NaN } }],
  ['more than 64 bits', 'willOverflow', { destinations: [to(bob.address, 2n ** 64n - 1n), to(bob.address, 2n)] }],
  ['a fee beyond 64 bits', 'willOverflow', { fee: { kind: 'fixed', amount: 2n ** 64n - 1n } }],
  ['more than the balance', 'notEnoughBalance', { destinations: [to(bob.address, 9_100_701n)] }],
  ['a fixed fee above the balance', 'notEnoughBalance', { fee: { kind: 'fixed', amount: 9_100_700n } }],
  ['a ring too small', 'mixinTooSmall', { mixin: 0 }],
  ['a ring too large', 'mixinTooBig', { mixin: 2n ** 64n - 1n }],
  ['a payment id of the wrong length', 'paymentIdWrongLength', { paymentId: 'zz' }],
  ['a payment id that is not hex', 'paymentIdInvalid', { paymentId: 'g'.repeat(64) }],
  ['a short payment id that is not hex', 'paymentIdInvalid', { paymentId: 'g'.repeat(16) }],
  ['a damaged change address', 'addressNotValid', { changeAddress: damaged(alice.address) }],
  ['an integrated change address', 'addressIsIntegrated', { changeAddress: integrated(LONG_ID) }],
  ['a foreign change address', 'addressNotInWallet', { changeAddress: bob.address }],
  ['an unlock time too near', 'unlockTimeTooSmall', { unlockTime: 734n }],
  ['an unlock time in the past', 'unlockTimeTooSmall', { unlockTime: 1_700_000_000n }],
  [
    'a short payment id for two',
    'shortPaymentIdNeedsSingleDestination',
    { destinations: [to(bob.address), to(carol.address)], paymentId: SHORT_ID },
  ],
  [
    'an output without a global index',
    'daemonError',
    {},
    viewOf([subWalletOf(alice, [outputFor(alice, 9_000n, { globalIndex: undefined })])]),
  ],
  ['an unavailable node', 'daemonOffline', {}, undefined, new FakeNode(() => ({ kind: 'unavailable' }))],
  ['a node without decoys', 'notEnoughFakeOutputs', {}, undefined, nodeWithoutDecoys],
  [
    'a node that refuses for too few outputs',
    'notEnoughFakeOutputs',
    {},
    undefined,
    new FakeNode(() => ({ kind: 'tooFew' })),
  ],
  [
    'too many outputs',
    'outputDecomposition',
    { destinations: Array.from({ length: 40 }, () => to(bob.address, 111n)) },
  ],
  ['an extra above the maximum size', 'daemonError', { extra: 'ab'.repeat(2000) }],
  ['a fixed fee below the minimum', 'feeTooSmall', { fee: { kind: 'fixed', amount: 5n } }],
];

test.each(ROWS)('%s: %s', async (...[, name, request, view, node]: Row) => {
  expect(await outcomeOf(request, view, node)).toBe(name);
});

test('an amount that leaves too little for the fee is refused with notEnoughBalance', async () => {
  expect(await outcomeOf({ destinations: [to(bob.address, 9_100_700n)] })).toBe('notEnoughBalance');
  for (const rate of [1e9, 1e300, Infinity])
    expect(await outcomeOf({ fee: { kind: 'perByte', rate } })).toBe('notEnoughBalance');
});

test('a valid request is built', async () => {
  expect(await outcomeOf({ paymentId: LONG_ID, destinations: [to(integrated(LONG_ID))] })).toBe('success');
  expect(await outcomeOf({ unlockTime: 735n })).toBe('success');
  expect(await outcomeOf({ unlockTime: 500_000_000n })).toBe('success');
  expect(await outcomeOf({ unlockTime: 2n ** 64n - 1n })).toBe('success');
  expect(await outcomeOf({ unlockTime: BigInt(NOW + 900) })).toBe('success');
  expect(await outcomeOf({ changeAddress: '', sourceAddresses: [] })).toBe('success');
  expect(await outcomeOf({ destinations: [to(bob.address, 1n)] })).toBe('success');
});

test('of two errors the first in the order of the checks is reported', async () => {
  const invalid = ROWS.filter(
    ([, code, , view, node]) => view === undefined && node === undefined && code !== 'notEnoughFakeOutputs',
  );
  for (const [i, [name, code, request]] of invalid.entries()) {
    for (const [later, , more] of invalid.slice(i + 1)) {
      const shared = Object.keys(request).some((field) => field in more);
      if (shared) continue;
      expect([name, later, await outcomeOf({ ...more, ...request })]).toEqual([name, later, code]);
    }
  }
});

test('a repeated source address is used once', async () => {
  const view = aliceWith([50_000n, 50_000n]);
  const source = [alice.address, alice.address, alice.address];
  expect(await outcomeOf({ sourceAddresses: source, destinations: [to(bob.address, 120_000n)] }, view)).toBe(
    'notEnoughBalance',
  );
  const built = await buildSend({ destinations: [to(bob.address, 90_000n)], sourceAddresses: source }, view, portsOf());
  expect(new Set(built.pending.inputs.map(({ output }) => output.key)).size).toBe(2);
});

test('an output listed twice is counted and spent once', async () => {
  const twice = outputFor(alice, 50_000n);
  const view = viewOf([subWalletOf(alice, [twice, { ...twice, globalIndex: 3 }])]);
  expect(await outcomeOf({ destinations: [to(bob.address, 60_000n)] }, view)).toBe('notEnoughBalance');
});

test('an output without a global index is not spent while the others suffice', async () => {
  const view = viewOf([
    subWalletOf(alice, [outputFor(alice, 100n, { globalIndex: undefined }), outputFor(alice, 9_000n)]),
  ]);
  const built = await buildSend({ destinations: [to(bob.address)] }, view, portsOf());
  expect(built.pending.inputs.map(({ output }) => output.amount)).toEqual([9_000n]);
});

test('an output of an unverified block is not spent', async () => {
  const view = viewOf([subWalletOf(alice, [outputFor(alice, 50_000n, { verified: false }), outputFor(alice, 9_000n)])]);
  expect(await outcomeOf({ destinations: [to(bob.address, 20_000n)] }, view)).toBe('notEnoughBalance');
  const built = await buildSend({ destinations: [to(bob.address, 1_000n)] }, view, portsOf());
  expect(built.pending.inputs.map(({ output }) => output.amount)).toEqual([9_000n]);
});

test('one input of two contested transactions is enough if both spend it', async () => {
  const [shared, other, free] = [50_000n, 9_000n, 1_000n].map((amount) => outputFor(alice, amount));
  const wallet = subWalletOf(alice, [shared!, other!, free!]);
  const contest = (digit: string, ...outputs: WalletOutput[]): ContestedSend => {
    const inputs = outputs.map(({ key }) => ({ key, publicSpendKey: wallet.publicSpendKey }));
    return { hash: digit.repeat(64), inputs, isReplaced: false };
  };
  const view = viewOf([wallet], { contested: [contest('1', shared!), contest('2', shared!, other!)] });
  const built = await buildSend({ destinations: [to(bob.address, 1_000n)] }, view, portsOf());
  expect(built.pending.inputs.map(({ output }) => output.amount)).toEqual([50_000n]);
});

test('a container with a wrong key cannot sign', async () => {
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
  for (const subWallet of wrong) expect(await outcomeOf({}, viewOf([subWallet]))).toBe('failedToCreateRingSignature');
  for (const privateViewKey of [zeros, beyond, '']) {
    expect(await outcomeOf({}, viewOf([subWalletOf(alice, [right])], { privateViewKey }))).toBe(
      'failedToCreateRingSignature',
    );
  }
});

test('a payment to a key of small order or the identity is refused', async () => {
  const identity = Buffer.concat([Buffer.of(1), Buffer.alloc(31)]);
  // The point of order two: y = -1.
  const torsion = Buffer.from('ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f', 'hex');
  for (const key of [identity, torsion]) {
    expect(
      await outcomeOf({ destinations: [to(encodeAddress({ spendPublic: key, viewPublic: bob.viewPublic }))] }),
    ).toBe('addressNotValid');
    expect(
      await outcomeOf({ destinations: [to(encodeAddress({ spendPublic: bob.spendPublic, viewPublic: key }))] }),
    ).toBe('addressNotValid');
  }
});

test('an output that is still locked at the height of the node is not spent', async () => {
  const view = viewOf(
    [subWalletOf(alice, [outputFor(alice, 50_000n, { unlockTime: 730n }), outputFor(alice, 9_000n)])],
    {
      localHeight: 720,
      networkHeight: 740,
    },
  );
  expect(await outcomeOf({ destinations: [to(bob.address, 20_000n)] }, view)).toBe('notEnoughBalance');
});

test('error messages have the texts of the C++ wallets', async () => {
  const request = (more: Partial<SendRequest>): SendRequest => ({ destinations: [to(bob.address)], ...more });
  const text = (more: Partial<SendRequest>, node?: FakeNode) => buildSend(request(more), wallet, portsOf(node));
  await expect(text({ mixin: 8 })).rejects.toThrow(
    'The mixin value given (8) is greater than the maximum mixin allowed (7)',
  );
  await expect(text({ changeAddress: bob.address })).rejects.toThrow(
    `The address given (${bob.address}) does not exist in the wallet container, but it is required to exist for this operation.`,
  );
  await expect(text({ extra: 'ab'.repeat(2000) })).rejects.toThrow('Transaction extra too large');
  await expect(text({ mixin: 1 }, nodeWithoutDecoys)).rejects.toThrow(
    'Failed to get enough matching outputs for amount 700 (7.00 WRKZ). Requested outputs: 1, found outputs: 0.',
  );
});

test('the fee covers change with more outputs than estimated', async () => {
  const view = aliceWith([9_000_000n]);
  const built = await buildSend({ destinations: [to(bob.address, 8_000_000n)] }, view, portsOf());
  expect(built.pending.ownOutputs.length).toBeGreaterThan(4);
  expect(built.fee).toBe(BigInt(10 * Math.ceil(built.bytes.length / 128)));
});

test('a payment to an own spend key with a foreign view key is not an own output', async () => {
  const mixed = encodeAddress({ spendPublic: alice.spendPublic, viewPublic: bob.viewPublic });
  const { pending, fee } = await buildSend({ destinations: [to(mixed, 9_000_000n)] }, wallet, portsOf());
  const sum = (amounts: readonly { amount: bigint }[]) => amounts.reduce((total, { amount }) => total + amount, 0n);
  expect(sum(pending.ownOutputs)).toBe(sum(pending.inputs.map(({ output }) => output)) - 9_000_000n - fee);
});
