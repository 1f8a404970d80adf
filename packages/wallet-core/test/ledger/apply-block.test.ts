import type { SyncBlock } from '@wrkz/client';
import { Ledger } from '../../src/ledger/ledger';
import { LedgerFault } from '../../src/ledger/model';
import { emptyContent, emptySubWallet } from './support/contents';
import { hashOf, type ModelTransaction, pendingOf, scannedBlock } from './support/model-chain';
import { ALICE, amounts, apply, blockOf, BOB, newLedger, of, paying, sendAll } from './support/model-ledger';

const MAX_UINT64 = 2n ** 64n - 1n;
const MAX_TRANSFER = 2n ** 63n - 1n;
const KEY_OF_A = hashOf('output of a');

/** Spends the output of `a`. */
const spending = (name: string, amount = 100n, change = 0n): ModelTransaction => ({
  ...paying(name, change),
  takes: [{ key: KEY_OF_A, amount }],
});
const foreign = (name: string): ModelTransaction => ({
  ...paying(name, 5n),
  outputs: [{ key: hashOf(`output of ${name}`), amount: 5n, owner: undefined }],
  takes: [{ key: hashOf(`input of ${name}`), amount: 9n }],
});
const coinbase = (name: string, amount: bigint): ModelTransaction => ({ ...paying(name, amount), isCoinbase: true });
const transfersOf = (ledger: Ledger, name: string): unknown =>
  ledger.content().transactions.find(({ hash }) => hash === hashOf(name))?.transfers;

describe('a block that is impossible in a chain', () => {
  const base: SyncBlock = scannedBlock(blockOf(1, coinbase('c', 1n), spending('a', 1n, 1n))).block;
  const [transaction] = base.transactions;
  const amount = (value: bigint) => [{ amount: value, key: '', keyImage: '' }];
  const WRONG = 'block 1 has an amount outside 64 bits';

  test.each<[string, Partial<SyncBlock>, string]>([
    ['a negative height', { height: -1 }, 'block -1 has an invalid height'],
    ['a fraction as height', { height: 1.5 }, 'block 1.5 has an invalid height'],
    ['a negative output', { transactions: [{ ...transaction!, outputs: amount(-1n) }] }, WRONG],
    ['an output of 2^64', { coinbase: { ...base.coinbase!, outputs: amount(MAX_UINT64 + 1n) } }, WRONG],
    ['an input of 2^64', { transactions: [{ ...transaction!, inputs: amount(MAX_UINT64 + 1n) }] }, WRONG],
  ])('is refused: %s', (_what, change, message) => {
    const ledger = newLedger();
    expect(() => ledger.apply({ ...base, ...change }, [], new Map())).toThrow(new LedgerFault(message));
    expect(ledger.position()).toEqual({ height: 0, hash: undefined });
  });

  test('height 0 and amounts of 0 and 2^64 - 1 are possible', () => {
    const ledger = newLedger();
    const transactions = [{ ...transaction!, inputs: amount(MAX_UINT64), outputs: amount(0n) }];
    ledger.apply({ ...base, height: 0, transactions }, [], new Map());
    expect(ledger.position()).toEqual({ height: 0, hash: base.hash });
  });

  test('transfers of up to 2^63 - 1 fit a container, larger ones are refused', () => {
    const ledger = newLedger();
    apply(ledger, blockOf(1, paying('a', MAX_TRANSFER)), blockOf(2, paying('b', MAX_TRANSFER)));
    const refused = 'block 3 moves more than 2^63 in transaction ' + hashOf('c');
    expect(() => apply(ledger, blockOf(3, paying('c', MAX_TRANSFER + 1n)))).toThrow(refused);
    const both = { ...spending('c', 1n), takes: [KEY_OF_A, hashOf('output of b')].map((key) => ({ key, amount: 1n })) };
    expect(() => apply(ledger, blockOf(3, both))).toThrow(refused);
    apply(ledger, blockOf(3, spending('c', MAX_TRANSFER)));
    expect(transfersOf(ledger, 'c')).toEqual([{ publicSpendKey: ALICE, amount: -MAX_TRANSFER }]);
  });
});

test('found outputs of an unknown transaction, output or owner are ignored', () => {
  const ledger = newLedger();
  const { block, found } = scannedBlock(blockOf(1, paying('a', 1n), paying('b', 2n)));
  const [first] = found;
  const strange = [{ transaction: 9 }, { output: 9 }, { publicSpendKey: hashOf('nobody') }];
  ledger.apply(block, [...strange.map((change) => ({ ...first!, ...change })), first!], new Map());
  expect(amounts(of(ledger).unspent)).toEqual([1n]);
  const [change] = ledger.takeChanges().changes;
  expect(change?.kind === 'block' && change.found.map(({ transaction }) => transaction)).toStrictEqual([1, 1, 1]);
});

test('a transaction in two blocks counts in the first, and an output is spent once', () => {
  const ledger = newLedger();
  apply(ledger, blockOf(1, paying('a', 100n)), blockOf(2, paying('a', 100n)), blockOf(3, spending('b')));
  apply(ledger, blockOf(4, { ...spending('c'), outputs: [] }));
  expect(ledger.content().transactions.map(({ hash, blockHeight }) => [hash, blockHeight])).toEqual([
    [hashOf('a'), 1],
    [hashOf('b'), 3],
  ]);
  expect(of(ledger).spent).toMatchObject([{ spendHeight: 3, spendingTransactionHash: hashOf('b') }]);
});

test.each([
  [[100n], [60n], 40n],
  [[1n], [2n], 0n],
  [[MAX_UINT64, MAX_UINT64], [1n], MAX_UINT64],
])('inputs of %s and outputs of %s have a fee of %s', (inputs, outputs, fee) => {
  const ledger = newLedger();
  apply(
    ledger,
    blockOf(1, coinbase('coinbase', 7n), {
      ...paying('a', 0n),
      takes: inputs.map((amount, i) => ({ key: hashOf(`input ${i}`), amount })),
      outputs: outputs.map((amount) => ({ key: KEY_OF_A, amount, owner: ALICE })),
    }),
  );
  expect(ledger.content().transactions).toMatchObject([
    { isCoinbase: true, fee: 0n },
    { isCoinbase: false, fee },
  ]);
});

test('a coinbase and a transaction with an undecrypted short payment id have no payment id', () => {
  const ledger = newLedger();
  const long = 'ab'.repeat(32);
  const short = { ...paying('a', 1n), paymentId: 'ab'.repeat(8) };
  apply(
    ledger,
    blockOf(1, { ...coinbase('coinbase', 1n), paymentId: long }, short, { ...paying('b', 1n), paymentId: long }),
  );
  expect(ledger.content().transactions.map(({ paymentId }) => paymentId)).toEqual(['', '', long]);
});

test('the transactions that are new to the wallet are returned', () => {
  const ledger = newLedger();
  const { block, found } = scannedBlock(blockOf(1, foreign('x'), paying('a', 1n), foreign('y')));
  expect(ledger.apply(block, found, new Map())).toEqual(ledger.content().transactions);
  expect(ledger.content().transactions).toHaveLength(1);
});

describe('the queued change of a block', () => {
  const changesOf = (ledger: Ledger, ...transactions: ModelTransaction[]) => {
    apply(ledger, blockOf(1, paying('a', 100n)));
    ledger.takeChanges();
    apply(ledger, blockOf(2, ...transactions));
    return ledger.takeChanges().changes;
  };

  test('has only the transactions of the wallet, with renumbered outputs', () => {
    const received = [foreign('x'), paying('b', 1n), foreign('y'), paying('c', 2n)];
    const [change] = changesOf(newLedger(), ...received);
    const { block, found } = scannedBlock(blockOf(2, paying('b', 1n), paying('c', 2n)));
    expect(change).toEqual({
      kind: 'block',
      block: { ...block, hash: blockOf(2, ...received).hash },
      found,
      paymentIds: [],
    });
  });

  test('has the coinbase of the wallet as the first transaction', () => {
    const received = [coinbase('m', 1n), foreign('x'), paying('b', 1n)];
    const [change] = changesOf(newLedger(), ...received);
    const { block, found } = scannedBlock(blockOf(2, coinbase('m', 1n), paying('b', 1n)));
    expect(change).toMatchObject({ block: { coinbase: block.coinbase, transactions: block.transactions }, found });
  });

  test('is an advance without transactions of the wallet', () => {
    expect(changesOf(newLedger(), foreign('x'))).toEqual([
      { kind: 'advance', blocks: [[2, blockOf(2, foreign('x')).hash]] },
    ]);
  });
});

describe('a block with a pending transaction whose inputs are spent by another one', () => {
  const rival = { ...spending('rival'), outputs: [] };
  const away = { ...spending('away'), outputs: [] };
  const change = { key: hashOf('expected change'), amount: 40n, publicSpendKey: ALICE };

  test.each<[string, (ledger: Ledger) => void]>([
    [
      'send',
      (ledger) => {
        const inputs = of(ledger).unspent.map((output) => ({ owner: ALICE, output }));
        ledger.recordSend({ ...pendingOf(away, inputs), ownOutputs: [change] });
      },
    ],
    ['held transaction', (ledger) => ledger.hold({ hash: away.hash, inputs: [KEY_OF_A], ownOutputs: [change] })],
  ])('ends the %s, also after a restart', (_what, begin) => {
    const ledger = newLedger();
    apply(ledger, blockOf(1, paying('a', 100n)));
    begin(ledger);
    apply(ledger, blockOf(2, rival));
    expect(of(ledger).unconfirmedIncoming).toHaveLength(1);
    ledger.takeChanges();
    apply(ledger, blockOf(3, away));
    expect(ledger.takeChanges().changes).toMatchObject([{ kind: 'block' }]);
    expect(ledger.content().unconfirmed).toEqual([]);
    expect(of(ledger).unconfirmedIncoming).toEqual([]);
  });
});

describe('change that a pending send spends', () => {
  /** `second` spends the change of `first`, whose block is removed. */
  function twoSends(): { ledger: Ledger; first: ModelTransaction; second: ModelTransaction } {
    const ledger = newLedger();
    apply(ledger, blockOf(1, paying('a', 100n)));
    const first = sendAll(ledger, 'first', 40n);
    apply(ledger, blockOf(2, first));
    const second = sendAll(ledger, 'second', 30n);
    ledger.rewind(2);
    return { ledger, first, second };
  }

  test('is not locked when the spending send was in a block before', () => {
    const { ledger, first, second } = twoSends();
    apply(ledger, blockOf(2, second), blockOf(3, first));
    expect(amounts(of(ledger).unspent)).toEqual([30n, 40n]);
    expect(of(ledger).locked).toEqual([]);
  });

  test('is unlocked after its sub-wallet was removed with the send and added again', () => {
    const { ledger, first, second } = twoSends();
    ledger.removeSubWallet(ALICE);
    ledger.cancelSend(second.hash);
    ledger.addSubWallet(emptySubWallet(ALICE));
    apply(ledger, blockOf(2, first));
    expect(amounts(of(ledger).unspent)).toEqual([40n]);
  });
});

describe('the transfers of a send that returns in another block', () => {
  /** Alice has a retired output, and sends `send` with inputs of 100 and 7. */
  function sent(): { ledger: Ledger; send: ModelTransaction } {
    const ledger = newLedger();
    apply(ledger, blockOf(1, paying('old', 3n), paying('second old', 3n)));
    const old = { ...paying('spender', 0n), takes: [{ key: hashOf('output of old'), amount: 3n }], outputs: [] };
    apply(ledger, blockOf(2, old), blockOf(5_760, paying('a', 100n)));
    expect(of(ledger).retiredKeys).toEqual([hashOf('output of old')]);
    const inputs = of(ledger).unspent.filter(({ amount }) => amount === 100n);
    const send = spending('send', 100n, 40n);
    const pending = pendingOf(
      send,
      inputs.map((output) => ({ owner: ALICE, output })),
    );
    // The transfers of the pending send are ignored.
    ledger.recordSend({ ...pending, transfers: [{ publicSpendKey: ALICE, amount: -999n }] });
    return { ledger, send };
  }
  const duplicate = {
    ...paying('duplicate', 50n),
    outputs: [{ key: hashOf('output of send'), amount: 50n, owner: ALICE }],
  };

  test('are computed at the first block', () => {
    const { ledger, send } = sent();
    apply(ledger, blockOf(5_761, send));
    expect(transfersOf(ledger, 'send')).toEqual([{ publicSpendKey: ALICE, amount: -60n }]);
  });

  test('are recomputed where that gives less than was recorded', () => {
    const { ledger, send } = sent();
    apply(ledger, blockOf(5_761, send));
    apply(ledger, blockOf(5_761, duplicate), blockOf(5_762, send));
    expect(transfersOf(ledger, 'send')).toEqual([{ publicSpendKey: ALICE, amount: -100n }]);
  });

  test('are recomputed for a sub-wallet without retired outputs', () => {
    const ledger = newLedger();
    apply(ledger, blockOf(1, paying('a', 100n)), blockOf(2, duplicate));
    const send = { ...spending('send', 100n, 40n) };
    apply(ledger, blockOf(3, send));
    expect(transfersOf(ledger, 'send')).toEqual([{ publicSpendKey: ALICE, amount: -100n }]);
    apply(ledger, blockOf(2, send));
    expect(transfersOf(ledger, 'send')).toEqual([{ publicSpendKey: ALICE, amount: -60n }]);
  });

  test('are recomputed after its sub-wallet was removed', () => {
    const { ledger, send } = sent();
    apply(ledger, blockOf(5_761, send));
    ledger.rewind(5_761);
    ledger.removeSubWallet(ALICE);
    apply(ledger, blockOf(5_761, send));
    expect(ledger.content().transactions).toEqual([]);
  });
});

describe('spent outputs', () => {
  const spent = (height: number, name: string): ModelTransaction => ({
    ...paying(`spender of ${name} at ${height}`, 0n),
    takes: [{ key: hashOf(`output of ${name}`), amount: 1n }],
    outputs: [],
  });

  test('are retired at the first multiple of 2,880 that is 2,880 blocks above the spend, once', () => {
    const ledger = newLedger();
    apply(ledger, blockOf(1, paying('a', 1n), paying('b', 1n, BOB), paying('c', 1n)));
    apply(ledger, blockOf(2_880, spent(2_880, 'a'), spent(2_880, 'b')), blockOf(2_881, spent(2_881, 'c')));
    const { spent: ofAlice } = of(ledger);
    const { spent: ofBob } = of(ledger, BOB);
    ledger.takeChanges();
    apply(ledger, blockOf(5_759));
    expect(ledger.takeChanges().retired).toEqual([]);
    ledger.markTip(5_800, hashOf('tip'));
    expect(ledger.takeChanges().retired).toEqual([
      { output: ofAlice[0], publicSpendKey: ALICE },
      { output: ofBob[0], publicSpendKey: BOB },
    ]);
    expect(of(ledger).spent).toHaveLength(1);
  });

  test('are not retired while the spending block is unverified', () => {
    const ledger = newLedger();
    apply(ledger, blockOf(1, paying('a', 1n)));
    const { block, found } = scannedBlock(blockOf(2, spent(2, 'a')));
    ledger.apply(block, found, new Map(), false);
    ledger.markTip(5_800, hashOf('tip'));
    expect(of(ledger).spent).toHaveLength(1);
    ledger.markVerified(2);
    ledger.markTip(8_640, hashOf('later tip'));
    expect(of(ledger).spent).toEqual([]);
  });

  test('of a file without the spending transaction are retired', () => {
    const ledger = newLedger();
    apply(ledger, blockOf(1, paying('a', 1n)), blockOf(2, spent(2, 'a')));
    const { subWallets, ...rest } = ledger.content();
    const [first] = subWallets;
    const asWritten = { ...first!, spent: first!.spent.map((one) => ({ ...one, spendingTransactionHash: undefined })) };
    const read = new Ledger({ ...rest, subWallets: [asWritten] });
    read.markTip(5_760, hashOf('tip'));
    expect(of(read)).toMatchObject({ spent: [], retiredKeys: [KEY_OF_A] });
  });
});

test('a view wallet receives two outputs of one block', () => {
  const ledger = new Ledger(emptyContent([emptySubWallet(ALICE)], { isViewWallet: true }));
  const { block, found } = scannedBlock(blockOf(1, paying('a', 1n), paying('b', 2n)));
  ledger.apply(
    block,
    found.map((item) => ({ ...item, keyImage: undefined })),
    new Map(),
  );
  expect(amounts(of(ledger).unspent)).toEqual([1n, 2n]);
});
