import { Ledger } from '../../src/ledger/ledger';
import { balanceOf } from './support/contents';
import { hashOf, type ModelTransaction } from './support/model-chain';
import { ALICE, amounts, apply, blockOf, newLedger, of, paying, sendAll } from './support/model-ledger';

const taking = (name: string, change: bigint, ...inputs: string[]): ModelTransaction => ({
  ...paying(name, change),
  takes: inputs.map((input) => ({ key: hashOf(`output of ${input}`), amount: 1n })),
});

/** The ledger from a file of another program, which does not name the transactions that spent its outputs. */
function withoutSpenders(ledger: Ledger): Ledger {
  const { subWallets, ...rest } = ledger.content();
  return new Ledger({
    ...rest,
    subWallets: subWallets.map((one) => ({
      ...one,
      spent: one.spent.map((output) => ({ ...output, spendingTransactionHash: undefined })),
    })),
  });
}

test('a removed transaction that spends own outputs is a send, with or without change', () => {
  const ledger = newLedger();
  apply(ledger, blockOf(1, paying('a', 100n)));
  apply(ledger, blockOf(2, taking('more', 150n, 'a'), paying('worthless', 1n, ALICE, hashOf('output of a'))));
  ledger.rewind(2);
  expect(ledger.content().unconfirmed.map(({ hash }) => hash)).toEqual([hashOf('more')]);
  expect(amounts(of(ledger).locked)).toEqual([100n]);
});

test.each([
  ['the only send of its block', [taking('send', 40n, 'a'), paying('b', 1n)], hashOf('send')],
  ['one of two sends of its block', [taking('send', 40n, 'a'), taking('other', 1n, 'c')], undefined],
])('an output without a known spender was spent by %s', (_what, transactions, spender) => {
  const before = newLedger();
  apply(before, blockOf(1, paying('a', 100n), paying('c', 7n)), blockOf(2, ...transactions));
  const ledger = withoutSpenders(before);
  ledger.rewind(2);
  expect(of(ledger).locked.find(({ key }) => key === hashOf('output of a'))?.spendingTransactionHash).toBe(spender);
});

test('change that a held transaction spends is expected again', () => {
  const ledger = newLedger();
  apply(ledger, blockOf(1, paying('a', 100n)));
  apply(ledger, blockOf(2, sendAll(ledger, 'send', 40n)));
  ledger.hold({ hash: hashOf('held'), inputs: [hashOf('change of send')], ownOutputs: [] });
  ledger.rewind(2);
  expect(balanceOf(ledger, 1, 0)).toEqual({ unlocked: 0n, locked: 40n });
});
