import fc from 'fast-check';
import type { SyncTransaction, SyncBlock } from '@wrkz/client';
import type { OwnOutputFound } from '../../src/ledger/model';
import { LedgerFault, type SubWallet, type WalletOutput } from '../../src/ledger/model';
import { History } from '../../src/ledger/history';
import { Ledger } from '../../src/ledger/ledger';
import type { WalletContent } from '../../src/ledger/model';
import { unlocked } from '../../src/transaction/coin-selection';
import { balanceOf, emptyContent, emptySubWallet } from './support/contents';
import { hashOf, heldBy, type ModelTransaction, pendingOf, scannedBlock } from './support/model-chain';
import { ALICE, amounts, apply, blockOf, BOB, newLedger, of, paying, sendAll } from './support/model-ledger';

/* Known faults of other wallets, one test each, and false responses of a node. */

describe('own sends', () => {
  test('a cancelled send unlocks its inputs, and its change is no longer expected', () => {
    const ledger = newLedger();
    apply(ledger, blockOf(1, paying('a', 100n)));
    const { hash } = sendAll(ledger, 'send', 40n);
    expect(balanceOf(ledger, 1, 0)).toEqual({ unlocked: 0n, locked: 40n });
    ledger.cancelSend(hash);
    expect(balanceOf(ledger, 1, 0)).toEqual({ unlocked: 100n, locked: 0n });
    expect(of(ledger).unspent[0]?.spendingTransactionHash).toBeUndefined();
    expect(ledger.content().unconfirmed).toEqual([]);
  });

  test('a send that is cancelled after a restart unlocks its inputs', () => {
    let ledger = newLedger();
    apply(ledger, blockOf(1, paying('a', 100n)));
    const { hash } = sendAll(ledger, 'send', 40n);
    ledger = new Ledger(ledger.content());
    ledger.cancelSend(hash);
    expect(amounts(of(ledger).unspent)).toEqual([100n]);
  });

  test('inputs that another program left locked are unlocked once the chain is scanned and no send is pending', () => {
    const ledger = newLedger();
    apply(ledger, blockOf(1, paying('a', 100n), paying('b', 7n)));
    sendAll(ledger, 'send', 40n);
    const { subWallets, unconfirmed, ...rest } = ledger.content();
    const asWritten = subWallets.map((one) => ({
      ...one,
      locked: one.locked.map((output) => ({ ...output, spendingTransactionHash: undefined })),
    }));
    const busy = new Ledger({ ...rest, subWallets: asWritten, unconfirmed });
    busy.releaseAbandoned();
    expect(amounts(of(busy).locked)).toEqual([100n, 7n]);
    const idle = new Ledger({ ...rest, subWallets: asWritten, unconfirmed: [] });
    idle.releaseAbandoned();
    expect(amounts(of(idle).unspent)).toEqual([100n, 7n]);
    expect(of(idle).locked).toEqual([]);
  });

  test('no input is spent twice, and a refused send changes nothing', () => {
    const ledger = newLedger();
    apply(ledger, blockOf(1, paying('a', 100n)));
    const inputs = of(ledger).unspent.map((output) => ({ owner: ALICE, output }));
    const first = sendAll(ledger, 'first', 40n);
    const before = ledger.content();
    for (const [name, taken] of [
      ['second', inputs],
      ['first', inputs],
      ['none', []],
    ] as const) {
      const again = { ...first, hash: hashOf(name), outputs: [] };
      expect(() => ledger.recordSend(pendingOf(again, taken))).toThrow(LedgerFault);
    }
    expect(ledger.content()).toEqual(before);
    ledger.cancelSend(first.hash);
    const twice = [...inputs, ...inputs];
    expect(() => ledger.recordSend(pendingOf({ ...first, hash: hashOf('twice') }, twice))).toThrow(
      'spends an output twice',
    );
    const others = inputs.map(({ output }) => ({ owner: BOB, output }));
    expect(() => ledger.recordSend(pendingOf({ ...first, hash: hashOf('bob') }, others))).toThrow('not unspent');
  });

  test('an own send has its short payment id, a send of another program has none', () => {
    const ledger = newLedger();
    apply(ledger, blockOf(1, paying('a', 100n)));
    const send = sendAll(ledger, 'send', 40n);
    apply(ledger, blockOf(2, { ...send, paymentId: 'cd'.repeat(8) }));
    expect(ledger.content().transactions.at(-1)).toMatchObject({ paymentId: 'ab'.repeat(8), unlockTime: 0n });
    const restored = newLedger();
    apply(restored, blockOf(1, paying('a', 100n)));
    const { block, found } = scannedBlock(blockOf(2, { ...send, paymentId: 'cd'.repeat(8) }));
    restored.apply(block, found, new Map([[send.hash, 'ef'.repeat(8)]]));
    expect(restored.content().transactions.at(-1)).toMatchObject({ paymentId: '' });
  });

  test('an incoming transaction has its long payment id, or its decrypted short one', () => {
    const ledger = newLedger();
    const long = { ...paying('long', 1n), paymentId: 'Aa'.repeat(32) };
    const short = { ...paying('short', 2n), paymentId: 'cd'.repeat(8) };
    const { block, found } = scannedBlock(blockOf(1, long, short));
    ledger.apply(block, found, new Map([[short.hash, 'ef'.repeat(8)]]));
    expect(ledger.content().transactions.map(({ paymentId }) => paymentId)).toEqual([long.paymentId, 'ef'.repeat(8)]);
  });

  test('the transaction key of a given-up send is stored, that of a refused one is deleted', () => {
    const ledger = newLedger();
    apply(ledger, blockOf(1, paying('a', 100n)));
    const { hash } = sendAll(ledger, 'send', 40n);
    ledger.cancelSend(hash);
    expect(ledger.content().transactionKeys).toHaveLength(1);
    const refused = sendAll(ledger, 'refused', 40n);
    ledger.forgetSend(refused.hash);
    expect(ledger.content().transactionKeys.map(({ transactionHash }) => transactionHash)).toEqual([hash]);
  });
});

describe('reorganisations', () => {
  test('inputs of a send whose block was removed stay locked until the send is cancelled', () => {
    const ledger = newLedger();
    apply(ledger, blockOf(1, paying('a', 100n)));
    const send = sendAll(ledger, 'send', 40n);
    apply(ledger, blockOf(2, send), blockOf(3, paying('b', 5n)));
    ledger.rewind(2);
    expect(ledger.content().transactions.map(({ hash }) => hash)).toEqual([hashOf('a')]);
    expect(amounts(of(ledger).locked)).toEqual([100n]);
    expect(balanceOf(ledger, 1, 0)).toEqual({ unlocked: 0n, locked: 40n });
    expect(ledger.content().unconfirmed).toMatchObject([
      { hash: send.hash, blockHeight: 0, paymentId: 'ab'.repeat(8) },
    ]);
    ledger.cancelSend(send.hash);
    expect(balanceOf(ledger, 1, 0)).toEqual({ unlocked: 100n, locked: 0n });
  });

  test('inputs of a send of which a file has only the height stay locked too', () => {
    const first = newLedger();
    apply(first, blockOf(1, paying('a', 100n)));
    const send = sendAll(first, 'send', 40n);
    apply(first, blockOf(2, send));
    const { subWallets, ...rest } = first.content();
    const ledger = new Ledger({
      ...rest,
      subWallets: subWallets.map((one) => ({
        ...one,
        spent: one.spent.map((output) => ({ ...output, spendingTransactionHash: undefined })),
      })),
    });
    ledger.rewind(2);
    expect(ledger.content().unconfirmed).toMatchObject([{ hash: send.hash }]);
    expect(of(ledger).locked[0]?.spendingTransactionHash).toBe(send.hash);
  });

  test('change that another send spends is locked when its block returns', () => {
    const ledger = newLedger();
    apply(ledger, blockOf(1, paying('a', 100n)));
    const first = sendAll(ledger, 'first', 40n);
    apply(ledger, blockOf(2, first));
    const second = sendAll(ledger, 'second', 30n);
    ledger.rewind(2);
    apply(ledger, blockOf(2, { ...first }));
    expect(of(ledger).unspent).toEqual([]);
    expect(of(ledger).locked).toMatchObject([{ amount: 40n, spendingTransactionHash: second.hash }]);
  });

  test('hashes of removed blocks are dropped', () => {
    const ledger = newLedger();
    const blocks = Array.from({ length: 60 }, (_, i) => blockOf(i + 1, paying(`p${i}`, 1n)));
    apply(ledger, ...blocks);
    expect(ledger.progress().recentHashes).toEqual(
      blocks
        .slice(-50)
        .toReversed()
        .map(({ hash }) => hash),
    );
    ledger.rewind(59);
    expect(ledger.progress().recentHashes[0]).toBe(blocks[57]?.hash);
    const read = new Ledger(ledger.content());
    read.rewind(58);
    expect(read.progress()).toMatchObject({ height: 57, recentHashes: ledger.progress().recentHashes.slice(1) });
  });
});

describe('outputs with a known one-time key', () => {
  const second = (name: string, amount: bigint): ModelTransaction => paying(name, amount, ALICE, hashOf('output of a'));

  test.each([
    ['are not larger', 100n, 'unspent'],
    ['are not larger than a locked one', 100n, 'locked'],
    ['follow a spent one', 5_000n, 'spent'],
  ])('are not counted if they %s', (_, amount, list) => {
    const ledger = newLedger();
    apply(ledger, blockOf(1, paying('a', 100n)));
    const send = list === 'unspent' ? undefined : sendAll(ledger, 'send', 40n);
    if (list === 'spent' && send !== undefined) apply(ledger, blockOf(2, send));
    const before = balanceOf(ledger, 9, 0);
    apply(ledger, blockOf(3, second('b', amount)));
    expect(balanceOf(ledger, 9, 0)).toEqual(before);
    expect(ledger.content().transactions.at(-1)).toMatchObject({ hash: hashOf('b'), transfers: [{ amount: 0n }] });
  });

  /** A stranger copied the key of a payment of 5,000 into a transaction of 100 that was mined before it. */
  function paidAfterCopy(): Ledger {
    const ledger = newLedger();
    apply(ledger, blockOf(1, paying('a', 100n)), blockOf(2, second('b', 5_000n)));
    return ledger;
  }

  test('replace a smaller one, so that a copy with dust does not lock the money of a payment', () => {
    const ledger = paidAfterCopy();
    expect(balanceOf(ledger, 9, 0)).toEqual({ unlocked: 5_000n, locked: 0n });
    expect(ledger.content().transactions.map(({ transfers }) => transfers[0]?.amount)).toEqual([100n, 4_900n]);
    const send = sendAll(ledger, 'send', 4_000n);
    expect(send.takes).toEqual([{ key: hashOf('output of a'), amount: 5_000n }]);
    apply(ledger, blockOf(3, send));
    expect(balanceOf(ledger, 9, 0)).toEqual({ unlocked: 4_000n, locked: 0n });
  });

  test('replace a smaller one in the same block', () => {
    const ledger = newLedger();
    apply(ledger, blockOf(1, paying('a', 7n), second('b', 100n), second('c', 50n)));
    expect(balanceOf(ledger, 9, 0)).toEqual({ unlocked: 100n, locked: 0n });
    expect(of(ledger).unspent).toMatchObject([{ parentTransactionHash: hashOf('b') }]);
    expect(ledger.content().transactions.map(({ transfers }) => transfers[0]?.amount)).toEqual([7n, 93n, 0n]);
    ledger.rewind(1);
    expect(of(ledger).unspent).toEqual([]);
  });

  test('give way to the smaller one when their block is removed, also after a restart', () => {
    const ledger = new Ledger(paidAfterCopy().content());
    apply(ledger, blockOf(3, second('c', 6_000n)));
    ledger.rewind(3);
    expect(balanceOf(ledger, 9, 0)).toEqual({ unlocked: 5_000n, locked: 0n });
    const read = new Ledger(ledger.content());
    read.rewind(2);
    expect(balanceOf(read, 9, 0)).toEqual({ unlocked: 100n, locked: 0n });
    expect(of(read).unspent).toMatchObject([{ parentTransactionHash: hashOf('a') }]);
    expect(of(read).unspent).not.toMatchObject([{ replaced: expect.anything() }]);
  });

  test('stay locked by the send of the smaller one, which can still be mined', () => {
    const ledger = newLedger();
    apply(ledger, blockOf(1, paying('a', 100n)));
    const send = sendAll(ledger, 'send', 40n);
    apply(ledger, blockOf(2, second('b', 5_000n)));
    expect(of(ledger).locked).toMatchObject([{ amount: 5_000n, spendingTransactionHash: send.hash }]);
    ledger.rewind(2);
    expect(of(ledger).locked).toMatchObject([{ amount: 100n, spendingTransactionHash: send.hash }]);
    apply(ledger, blockOf(2, second('b', 5_000n)));
    ledger.cancelSend(send.hash);
    expect(balanceOf(ledger, 9, 0)).toEqual({ unlocked: 5_000n, locked: 0n });
  });

  test.each(['before', 'in the same block as'])(
    'are not received any more when a send of the smaller one is mined: %s it',
    (when) => {
      const ledger = newLedger();
      apply(ledger, blockOf(1, paying('a', 100n)));
      const send = sendAll(ledger, 'send', 40n);
      const larger = second('b', 5_000n);
      const isBefore = when === 'before';
      if (isBefore) apply(ledger, blockOf(2, larger));
      const block = isBefore ? blockOf(3, send) : blockOf(3, larger, send);
      const { block: scanned, found } = scannedBlock(block);
      const changed = ledger.apply(scanned, found, new Map());
      const moved = (): [string, bigint | undefined][] =>
        ledger.content().transactions.map(({ hash, transfers }) => [hash, transfers[0]?.amount]);
      const after: [string, bigint][] = [
        [hashOf('a'), 100n],
        [hashOf('b'), 0n],
        [send.hash, -60n],
      ];
      expect(moved()).toEqual(after);
      // The larger payment is reported again, with 0.
      expect(changed.map(({ hash }) => hash)).toEqual([hashOf('b'), send.hash]);
      const read = new Ledger(ledger.content());
      for (const one of [ledger, read]) {
        one.rewind(3);
        expect(one.content().transactions.map(({ transfers }) => transfers[0]?.amount)).toEqual(
          isBefore ? [100n, 4_900n] : [100n],
        );
        expect(amounts(of(one).locked)).toEqual([isBefore ? 5_000n : 100n]);
        apply(one, block);
      }
      expect(moved()).toEqual(after);
    },
  );

  test('are counted again in one pass through the history, whatever their number', () => {
    const ledger = newLedger();
    const keys = Array.from({ length: 5 }, (_, i) => hashOf(`key ${i}`));
    const payAll = (name: string, amount: bigint): ModelTransaction => ({
      ...paying(name, amount),
      outputs: keys.map((key) => ({ key, amount, owner: ALICE })),
    });
    apply(ledger, blockOf(1, payAll('a', 100n)));
    const send = sendAll(ledger, 'send', 40n);
    apply(ledger, ...[2, 3, 4, 5].map((height) => blockOf(height, payAll(`copy ${height}`, BigInt(height) * 1_000n))));
    const adjust = jest.spyOn(History.prototype, 'adjust');
    const moved = (): (bigint | undefined)[] =>
      ledger.content().transactions.map(({ transfers }) => transfers[0]?.amount);
    apply(ledger, blockOf(6, send));
    expect(moved()).toEqual([500n, 0n, 0n, 0n, 0n, -460n]);
    expect(adjust).toHaveBeenCalledTimes(1);
    ledger.rewind(6);
    expect(moved()).toEqual([500n, 9_500n, 5_000n, 5_000n, 5_000n]);
    expect(adjust).toHaveBeenCalledTimes(2);
    adjust.mockRestore();
  });

  test('are not spent while a larger one is expected, because that would spend the change of a pending send', () => {
    let ledger = newLedger();
    apply(ledger, blockOf(1, paying('a', 100n)));
    const send = sendAll(ledger, 'send', 40n);
    const copy = paying('copy', 1n, ALICE, hashOf('change of send'));
    apply(ledger, blockOf(2, copy));
    for (const restarted of [false, true]) {
      if (restarted) ledger = new Ledger(ledger.content());
      expect(balanceOf(ledger, 9, 0)).toEqual({ unlocked: 0n, locked: 41n });
      expect([...unlocked([of(ledger)], 9, 0)]).toEqual([]);
    }
    apply(ledger, blockOf(3, send));
    expect(balanceOf(ledger, 9, 0)).toEqual({ unlocked: 40n, locked: 0n });
    ledger.rewind(3);
    expect(balanceOf(ledger, 9, 0)).toEqual({ unlocked: 0n, locked: 41n });
    ledger.cancelSend(send.hash);
    expect([...unlocked([of(ledger)], 9, 0)].map(({ output }) => output.amount)).toEqual([1n, 100n]);
  });

  test('are not spent after a reorganisation that removes the change, if the send that spent it is cancelled', () => {
    const ledger = newLedger();
    apply(ledger, blockOf(1, paying('a', 100n)));
    const first = sendAll(ledger, 'first', 40n);
    apply(ledger, blockOf(2, paying('copy', 1n, ALICE, hashOf('change of first'))), blockOf(3, first));
    const second = sendAll(ledger, 'second', 30n);
    ledger.rewind(3);
    expect(of(ledger).locked).toMatchObject([{ amount: 1n, spendingTransactionHash: second.hash }, { amount: 100n }]);
    ledger.cancelSend(second.hash);
    expect([...unlocked([of(ledger)], 9, 0)]).toEqual([]);
    expect(balanceOf(ledger, 9, 0)).toEqual({ unlocked: 0n, locked: 41n });
  });

  test.each([
    ['mined', 41n],
    ['mined and removed again', 40n],
  ])('do not replace removed change that a pending send spends: %s', (when, locked) => {
    const ledger = newLedger();
    apply(ledger, blockOf(1, paying('a', 100n)));
    apply(ledger, blockOf(2, sendAll(ledger, 'first', 40n)));
    const second = sendAll(ledger, 'second', 30n);
    ledger.rewind(2);
    apply(ledger, blockOf(2, paying('copy', 1n, ALICE, hashOf('change of first'))));
    if (when !== 'mined') ledger.rewind(2);
    ledger.cancelSend(second.hash);
    expect(balanceOf(ledger, 9, 0)).toEqual({ unlocked: 0n, locked });
  });

  test('that replaced the change of a send do not prevent that it is expected again', () => {
    const ledger = newLedger();
    apply(ledger, blockOf(1, paying('a', 100n)));
    const send = sendAll(ledger, 'send', 40n);
    const copy = (name: string, amount: bigint): ModelTransaction =>
      paying(name, amount, ALICE, hashOf('change of send'));
    apply(ledger, blockOf(2, copy('smaller', 1n)), blockOf(3, send), blockOf(4, copy('larger', 60n)));
    expect(balanceOf(ledger, 9, 0)).toEqual({ unlocked: 60n, locked: 0n });
    ledger.rewind(3);
    expect(balanceOf(ledger, 9, 0)).toEqual({ unlocked: 0n, locked: 41n });
  });

  test('do not prevent that a send with a larger one is recorded again', () => {
    const ledger = newLedger();
    apply(ledger, blockOf(1, paying('a', 100n)));
    const inputs = of(ledger).unspent.map((output) => ({ owner: ALICE, output }));
    const send = sendAll(ledger, 'send', 40n);
    ledger.cancelSend(send.hash);
    apply(ledger, blockOf(2, paying('copy', 1n, ALICE, hashOf('change of send'))));
    ledger.recordSend(pendingOf(send, inputs));
    expect(balanceOf(ledger, 9, 0)).toEqual({ unlocked: 0n, locked: 41n });
  });

  test('refuse a send that was built with the smaller one', () => {
    const ledger = newLedger();
    apply(ledger, blockOf(1, paying('a', 100n)));
    const [output] = of(ledger).unspent;
    if (output === undefined) throw new Error('no output');
    apply(ledger, blockOf(2, second('b', 5_000n)));
    const send = { ...paying('send', 40n), isCoinbase: false, takes: [{ key: output.key, amount: 100n }] };
    expect(() => ledger.recordSend(pendingOf(send, [{ owner: ALICE, output }]))).toThrow('not unspent');
  });

  test('of unverified blocks are verified with their own block', () => {
    const ledger = newLedger();
    const blocks = [paying('a', 100n), second('b', 5_000n)].map((one, i) => scannedBlock(blockOf(i + 1, one)));
    for (const { block, found } of blocks) ledger.apply(block, found, new Map(), false);
    expect(ledger.unverifiedBlocks().map(({ outputs }) => outputs.map(({ amount }) => amount))).toEqual([
      [100n],
      [5_000n],
    ]);
    ledger.markVerified(1);
    expect(balanceOf(ledger, 9, 0)).toEqual({ unlocked: 0n, locked: 5_000n });
    ledger.rewind(2);
    expect(balanceOf(ledger, 9, 0)).toEqual({ unlocked: 100n, locked: 0n });
  });

  test('are not counted after the first one was retired, even after a restart', () => {
    let ledger = newLedger();
    apply(ledger, blockOf(1, paying('a', 100n)));
    const send = sendAll(ledger, 'send', 40n);
    apply(ledger, blockOf(2, send), blockOf(5_759));
    expect(of(ledger).spent).toHaveLength(1);
    apply(ledger, blockOf(5_760));
    expect(of(ledger)).toMatchObject({ spent: [], retiredKeys: [hashOf('output of a')] });
    ledger = new Ledger(ledger.content());
    apply(ledger, blockOf(5_761, second('b', 5_000n)));
    expect(balanceOf(ledger, 9_999, 0)).toEqual({ unlocked: 40n, locked: 0n });
    expect(ledger.content().transactions.map(({ hash }) => hash)).toEqual([hashOf('a'), send.hash, hashOf('b')]);
  });

  test('are dropped from the file of another program', () => {
    const ledger = newLedger();
    apply(ledger, blockOf(1, paying('a', 100n)));
    apply(ledger, blockOf(2, sendAll(ledger, 'send', 40n)));
    const { subWallets, ...rest } = ledger.content();
    const phantom = subWallets.map((one) => ({
      ...one,
      unspent: [...one.unspent, ...one.spent.map((output) => ({ ...output, amount: 5_000n, spendHeight: 0 }))],
    }));
    expect(balanceOf(new Ledger({ ...rest, subWallets: phantom }), 9, 0).unlocked).toBe(40n);
  });

  test('are counted once in the file of another program', () => {
    const { subWallets, ...rest } = paidAfterCopy().content();
    const loaded = (listsOf: (output: WalletOutput) => Partial<SubWallet>): Ledger => {
      const both = subWallets.map((one) => ({ ...one, ...one.unspent.map(listsOf)[0] }));
      return new Ledger({ ...rest, subWallets: both });
    };
    for (const sizes of [
      [100n, 5_000n],
      [5_000n, 100n],
    ]) {
      const ledger = loaded((output) => ({ unspent: sizes.map((amount) => ({ ...output, amount })) }));
      expect(balanceOf(ledger, 9, 0).unlocked).toBe(5_000n);
    }
    const ledger = loaded((output) => ({ unspent: [output], locked: [{ ...output, amount: 100n }] }));
    expect([amounts(of(ledger).locked), of(ledger).unspent]).toEqual([[5_000n], []]);
  });

  test('give way to the smaller one when the block of their spend and their own are removed', () => {
    const ledger = paidAfterCopy();
    const send = sendAll(ledger, 'send', 4_000n);
    apply(ledger, blockOf(3, send));
    ledger.rewind(2);
    expect(of(ledger).locked).toMatchObject([{ amount: 100n, spendingTransactionHash: send.hash }]);
  });
});

test('an output that is received and spent in one block is spent', () => {
  const ledger = newLedger();
  const first = paying('a', 100n);
  const spend: ModelTransaction = {
    ...paying('b', 60n, BOB),
    takes: [{ key: hashOf('output of a'), amount: 100n }],
  };
  apply(ledger, blockOf(1, spend, first));
  expect(balanceOf(ledger, 9, 0)).toEqual({ unlocked: 60n, locked: 0n });
  expect(ledger.content().transactions).toMatchObject([
    { hash: spend.hash, transfers: expect.arrayContaining([{ publicSpendKey: ALICE, amount: -100n }]) },
    { hash: first.hash, transfers: [{ publicSpendKey: ALICE, amount: 100n }] },
  ]);
});

test('a rescan lists a send with retired inputs as before', () => {
  const ledger = newLedger();
  apply(ledger, blockOf(1, paying('a', 100n)));
  const send = sendAll(ledger, 'send', 40n);
  const blocks = [blockOf(2, send), blockOf(5_760)];
  apply(ledger, ...blocks);
  const before = ledger.content();
  ledger.rewind(2);
  apply(ledger, ...blocks);
  expect(ledger.content()).toEqual(before);
});

test('removing a sub-wallet removes its outputs and its own transactions', () => {
  const ledger = newLedger();
  apply(ledger, blockOf(1, paying('a', 100n), paying('b', 50n, BOB)));
  apply(ledger, blockOf(2, { ...paying('c', 60n, BOB), takes: [{ key: hashOf('output of a'), amount: 100n }] }));
  ledger.removeSubWallet(ALICE);
  const { transactions, subWallets } = ledger.content();
  expect(transactions.map(({ hash }) => hash)).toEqual([hashOf('b'), hashOf('c')]);
  expect(transactions[1]?.transfers).toEqual([{ publicSpendKey: BOB, amount: 60n }]);
  expect(subWallets.map(({ publicSpendKey }) => publicSpendKey)).toEqual([BOB]);
  ledger.addSubWallet(emptySubWallet(ALICE, { walletIndex: 9 }));
  expect(ledger.content().subWalletIndexCounter).toBe(9);
  expect(() => ledger.addSubWallet(emptySubWallet(ALICE))).toThrow(LedgerFault);
});

test('a reset deletes everything except the keys', () => {
  const ledger = newLedger();
  apply(ledger, blockOf(1, paying('a', 100n)), blockOf(2));
  sendAll(ledger, 'send', 40n);
  ledger.reset(77);
  const start = { syncStartHeight: 77, syncStartTimestamp: 0 };
  expect(ledger.content()).toEqual(
    emptyContent(
      [ALICE, BOB].map((owner) => emptySubWallet(owner, start)),
      { startHeight: 77 },
    ),
  );
});

test.each([
  [0n, 0, 0, true],
  [11n, 10, 0, true],
  [12n, 10, 0, false],
  [499_999_999n, 10, 2_000_000_000, false],
  [500_000_000n, 499_999_999, 499_999_939, false],
  [500_000_000n, 0, 499_999_940, true],
  [1_700_000_060n, 0, 1_700_000_000, true],
  [1_700_000_061n, 9_999_999, 1_700_000_000, false],
])('an output locked to %s is unlocked at index %s and time %s: %s', (unlockTime, height, now, isFree) => {
  const ledger = newLedger();
  const { block, found } = scannedBlock(blockOf(1, paying('a', 100n)));
  const transactions = block.transactions.map((transaction) => ({ ...transaction, unlockTime }));
  ledger.apply({ ...block, transactions }, found, new Map());
  expect(balanceOf(ledger, height, now)).toEqual(
    isFree ? { unlocked: 100n, locked: 0n } : { unlocked: 0n, locked: 100n },
  );
  expect([...unlocked(ledger.content().subWallets, height, now)]).toHaveLength(isFree ? 1 : 0);
});

test('a view wallet has received outputs, no spends and no missing indexes', () => {
  const ledger = new Ledger(emptyContent([emptySubWallet(ALICE)], { isViewWallet: true }));
  const { block, found } = scannedBlock(blockOf(1, paying('a', 100n)));
  const seen = found.map((item) => ({ ...item, keyImage: undefined, globalIndex: undefined }));
  ledger.apply(block, seen, new Map());
  apply(ledger, blockOf(2, { ...paying('b', 1n, BOB), takes: [{ key: hashOf('output of a'), amount: 100n }] }));
  expect(balanceOf(ledger, 9, 0)).toEqual({ unlocked: 100n, locked: 0n });
  expect(ledger.unindexedOutputs()).toEqual([]);
});

test('an output retains its position when its global index becomes known', () => {
  const ledger = newLedger();
  const { block, found } = scannedBlock(blockOf(1, paying('a', 1n), paying('b', 2n)));
  ledger.apply(
    block,
    found.map((item) => ({ ...item, globalIndex: undefined })),
    new Map(),
  );
  expect(ledger.unindexedOutputs()).toMatchObject([
    { blockHeight: 1, parentTransactionHash: hashOf('a'), outputIndex: 0 },
    { blockHeight: 1, parentTransactionHash: hashOf('b'), outputIndex: 0 },
  ]);
  ledger.setGlobalIndexes(
    new Map([
      [hashOf('a'), [31]],
      [hashOf('b'), []],
      [hashOf('of somebody else'), [1]],
    ]),
  );
  expect(of(ledger).unspent).toMatchObject([
    { amount: 1n, globalIndex: 31 },
    { amount: 2n, globalIndex: undefined },
  ]);
  ledger.setGlobalIndexes(new Map([[hashOf('a'), [32]]]));
  expect(of(ledger).unspent[0]?.globalIndex).toBe(31);
  ledger.setGlobalIndexes(new Map([[hashOf('a'), [32]]]), true);
  expect(of(ledger).unspent[0]?.globalIndex).toBe(32);
  const corrected = ledger.takeChanges().changes.at(-1);
  ledger.setGlobalIndexes(new Map([[hashOf('a'), [31]]]), true);
  if (corrected !== undefined) ledger.replay(corrected);
  expect(of(ledger).unspent[0]?.globalIndex).toBe(32);
});

test('a published content never changes, and unchanged parts are the same objects', () => {
  const ledger = newLedger();
  apply(ledger, blockOf(1, paying('a', 100n)));
  const before = ledger.content();
  const copy = structuredClone(before);
  apply(ledger, blockOf(2, paying('b', 5n, BOB)));
  const after = ledger.content();
  expect(before).toEqual(copy);
  expect(after.subWallets[0]).toBe(before.subWallets[0]);
  expect(after.subWallets[1]).not.toBe(before.subWallets[1]);
  expect(ledger.content().transactions).toBe(after.transactions);
});

describe('a node with false responses', () => {
  const key = fc.nat(12).map((n) => hashOf(`output ${n}`));
  const hash = fc.nat(20).map((n) => hashOf(`transaction ${n}`));
  const amount = fc.oneof(fc.bigInt(0n, 1_000n), fc.constantFrom(2n ** 64n - 1n, 2n ** 63n, 2n ** 64n, -1n));
  const transaction: fc.Arbitrary<SyncTransaction> = fc.record({
    hash,
    transactionPublicKey: hash,
    unlockTime: fc.bigInt(0n, 2n ** 64n - 1n),
    paymentId: fc.constantFrom('', 'ab'.repeat(8), 'ab'.repeat(32), 'ab'),
    inputs: fc.array(fc.record({ keyImage: key.map((one) => hashOf(`image of ${one}`)), amount }), { maxLength: 3 }),
    outputs: fc.array(fc.record({ key, amount }), { maxLength: 3 }),
  });
  const block: fc.Arbitrary<SyncBlock> = fc.record({
    height: fc.oneof(fc.nat(30), fc.constantFrom(-1, 1.5, 6_000, 1_000_000)),
    hash,
    timestamp: fc.nat(),
    coinbase: fc.option(transaction, { nil: undefined }),
    transactions: fc.array(transaction, { maxLength: 4 }),
  });
  const found: fc.Arbitrary<{ transaction: number; output: number; owner: string }[]> = fc.array(
    fc.record({ transaction: fc.nat(5), output: fc.nat(3), owner: fc.constantFrom(ALICE, BOB, hashOf('nobody')) }),
    { maxLength: 6 },
  );

  const places = ({ subWallets }: WalletContent): string[] =>
    subWallets.flatMap(({ unspent, locked, spent, retiredKeys = [] }) => [
      ...[...unspent, ...locked, ...spent].map((output) => output.key),
      ...retiredKeys,
    ]);

  test('no output is in two lists, sums are exact, and a refused block changes only what it replaces', () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(block, found), { maxLength: 30 }), (reported) => {
        const ledger = newLedger();
        for (const [next, owned] of reported) {
          const all = [next.coinbase, ...next.transactions];
          const items: OwnOutputFound[] = owned.map(({ owner, ...item }) => ({
            ...item,
            publicSpendKey: owner,
            keyImage: hashOf(`image of ${all[item.transaction]?.outputs[item.output]?.key ?? ''}`),
            privateEphemeral: undefined,
            globalIndex: undefined,
          }));
          const before = heldBy(ledger.content());
          const { height } = ledger.position();
          try {
            ledger.apply(next, items, new Map());
          } catch (error) {
            expect(error).toBeInstanceOf(LedgerFault);
            if (!(next.height <= height)) expect(heldBy(ledger.content())).toEqual(before);
          }
          const content = ledger.content();
          const keys = places(content);
          expect(new Set(keys).size).toBe(keys.length);
          const { unlocked, locked } = balanceOf(ledger, 2 ** 40, 2 ** 40);
          expect(unlocked).toBeGreaterThanOrEqual(0n);
          expect(locked).toBeGreaterThanOrEqual(0n);
          for (const { fee, transfers } of content.transactions) {
            expect(fee).toBeGreaterThanOrEqual(0n);
            for (const transfer of transfers) expect(BigInt.asIntN(64, transfer.amount)).toBe(transfer.amount);
          }
          expect(heldBy(new Ledger(content).content())).toEqual(heldBy(content));
        }
      }),
      { numRuns: 500 },
    );
  });

  test('an honest chain gives the right balance afterwards', () => {
    const ledger = newLedger();
    apply(ledger, blockOf(1, paying('a', 100n)), blockOf(2, paying('lie', 2n ** 60n)), blockOf(1_000_000));
    apply(ledger, blockOf(2, paying('b', 5n)));
    expect(balanceOf(ledger, 2, 0)).toEqual({ unlocked: 105n, locked: 0n });
    expect(ledger.position().height).toBe(2);
  });
});
