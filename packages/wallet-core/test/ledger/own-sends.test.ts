import { Ledger } from '../../src/ledger/ledger';
import { LedgerFault, type PendingSend } from '../../src/ledger/model';
import { balanceOf, emptyContent, emptySubWallet } from './support/contents';
import { hashOf, pendingOf } from './support/model-chain';
import { ALICE, amounts, apply, blockOf, BOB, newLedger, of, paying, sendAll } from './support/model-ledger';

const HASH = hashOf('send');
const KEY_OF_A = hashOf('output of a');
const send = { ...paying('send', 40n), outputs: [] };

/** Alice has 100 and 7; a transaction with the hash of the send holds the 7. */
function funded(): Ledger {
  const ledger = newLedger();
  apply(ledger, blockOf(1, paying('a', 100n), paying('b', 7n)));
  ledger.hold({ hash: HASH, inputs: [hashOf('output of b')], ownOutputs: [] });
  return ledger;
}

const inputOf = (ledger: Ledger, key = KEY_OF_A) => {
  const output = ledger.findOutput(key)?.output;
  if (output === undefined) throw new Error('no such output');
  return { owner: ALICE, output };
};

test.each<[string, string, (ledger: Ledger, valid: PendingSend) => PendingSend]>([
  ['that is pending', 'is already recorded', (ledger, valid) => (ledger.recordSend(valid), { ...valid, inputs: [] })],
  ['that is in a block', 'is already recorded', (_, valid) => ({ ...valid, hash: hashOf('a'), inputs: [] })],
  ['without inputs', 'has no inputs', (_, valid) => ({ ...valid, inputs: [] })],
  [
    'with an input twice',
    'spends an output twice',
    (_, valid) => ({ ...valid, inputs: [...valid.inputs, ...valid.inputs] }),
  ],
  [
    'of an unknown output',
    'spends an output that is not unspent',
    (_, valid) => {
      const [input] = valid.inputs;
      return { ...valid, inputs: [{ ...input!, output: { ...input!.output, key: hashOf('unknown') } }] };
    },
  ],
  [
    'of an output that another send spends',
    'spends an output that is not unspent',
    (ledger, valid) => {
      ledger.recordSend({ ...valid, hash: hashOf('other') });
      return valid;
    },
  ],
  [
    'to an unknown owner',
    'pays an output that cannot be ours',
    (_, valid) => {
      return { ...valid, ownOutputs: [{ publicSpendKey: hashOf('nobody'), amount: 1n, key: hashOf('new') }] };
    },
  ],
])('a send %s is refused: it %s', (_what, why, change) => {
  const ledger = funded();
  const refused = change(ledger, pendingOf(send, [inputOf(ledger)]));
  const before = ledger.content();
  expect(() => ledger.recordSend(refused)).toThrow(new LedgerFault(`the send ${refused.hash} ${why}`));
  expect(ledger.content()).toEqual(before);
});

test('an input that a file locks for an unlisted send is unlocked only after the chain is scanned', () => {
  const ledger = newLedger();
  apply(ledger, blockOf(1, paying('a', 100n)));
  const input = inputOf(ledger);
  const { subWallets, ...rest } = ledger.content();
  const locked = [{ ...input.output, spendingTransactionHash: HASH }];
  const read = new Ledger({
    ...rest,
    subWallets: subWallets.map((one, i) => (i === 0 ? { ...one, unspent: [], locked } : one)),
  });
  expect(() => read.recordSend(pendingOf(send, [input]))).toThrow('not unspent');
  read.releaseAbandoned();
  expect(read.takeChanges().changes).toEqual([{ kind: 'releaseAbandoned' }]);
  expect(of(read).unspent).toMatchObject([{ key: KEY_OF_A, spendingTransactionHash: undefined }]);
  read.recordSend(pendingOf(send, [input]));
  read.releaseAbandoned();
  expect(amounts(of(read).locked)).toEqual([100n]);
  expect(read.takeChanges().changes.map(({ kind }) => kind)).toEqual(['send']);
});

describe('when a send is cancelled that spends change of a removed block', () => {
  /** `first` pays change of 40, which `second` spends; `third` spends an output of Bob. */
  function threeSends(): Ledger {
    const ledger = newLedger();
    apply(ledger, blockOf(1, paying('a', 100n), paying('b', 7n, BOB)));
    apply(ledger, blockOf(2, sendAll(ledger, 'first', 40n)));
    sendAll(ledger, 'second', 30n);
    const output = of(ledger, BOB).unspent[0]!;
    ledger.recordSend(pendingOf({ ...paying('third', 0n), outputs: [] }, [{ owner: BOB, output }]));
    ledger.rewind(2);
    expect(balanceOf(ledger, 2, 0)).toEqual({ unlocked: 0n, locked: 30n });
    return ledger;
  }
  const cancelled = (...names: string[]): object => {
    const ledger = threeSends();
    for (const name of names) ledger.cancelSend(hashOf(name));
    return balanceOf(ledger, 2, 0);
  };

  test('the change is expected while the send that pays it is pending', () => {
    expect(cancelled('third')).toEqual({ unlocked: 7n, locked: 30n });
    expect(cancelled('second')).toEqual({ unlocked: 0n, locked: 40n });
    expect(cancelled('first', 'second')).toEqual({ unlocked: 100n, locked: 0n });
  });

  test('the change of a sub-wallet that was removed is not expected', () => {
    const ledger = new Ledger(emptyContent([emptySubWallet(ALICE), emptySubWallet(BOB)]));
    apply(ledger, blockOf(1, paying('a', 100n), paying('b', 7n, BOB)));
    const spendOf = (name: string, ...owners: string[]): void =>
      ledger.recordSend(
        pendingOf(
          { ...paying(name, 40n), outputs: [{ key: hashOf(`change of ${name}`), amount: 40n, owner: ALICE }] },
          owners.map((owner) => ({ owner, output: of(ledger, owner).unspent[0]! })),
        ),
      );
    spendOf('first', ALICE, BOB);
    const first = {
      ...paying('first', 40n, ALICE, hashOf('change of first')),
      takes: ['a', 'b'].map((name) => ({ key: hashOf(`output of ${name}`), amount: 1n })),
    };
    apply(ledger, blockOf(2, first, paying('c', 9n, BOB)));
    spendOf('second', ALICE, BOB);
    ledger.rewind(2);
    ledger.removeSubWallet(ALICE);
    ledger.cancelSend(hashOf('second'));
    expect(balanceOf(ledger, 2, 0)).toEqual({ unlocked: 0n, locked: 0n });
  });
});
