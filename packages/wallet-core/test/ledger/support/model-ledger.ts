import { Ledger } from '../../../src/ledger/ledger';
import type { SubWallet, WalletOutput } from '../../../src/ledger/model';
import { emptyContent, emptySubWallet } from './contents';
import { hashOf, type ModelBlock, type ModelTransaction, pendingOf, scannedBlock } from './model-chain';

/* Ledgers of two sub-wallets, and the blocks of a model chain that they apply. */

export const ALICE = hashOf('alice');
export const BOB = hashOf('bob');

export const paying = (
  name: string,
  amount: bigint,
  owner = ALICE,
  key = hashOf(`output of ${name}`),
): ModelTransaction => ({
  hash: hashOf(name),
  isCoinbase: false,
  paymentId: '',
  takes: [],
  outputs: [{ key, amount, owner }],
});

export const blockOf = (height: number, ...transactions: ModelTransaction[]): ModelBlock => ({
  height,
  hash: hashOf(`block ${height} ${transactions.map(({ hash }) => hash).join()}`),
  transactions,
});

export const newLedger = (...owners: string[]): Ledger =>
  new Ledger(emptyContent((owners.length === 0 ? [ALICE, BOB] : owners).map((owner) => emptySubWallet(owner))));

export function apply(ledger: Ledger, ...blocks: ModelBlock[]): void {
  for (const model of blocks) {
    const { block, found } = scannedBlock(model);
    ledger.apply(block, found, new Map());
  }
}

export const of = (ledger: Ledger, owner = ALICE): SubWallet => {
  const found = ledger.content().subWallets.find(({ publicSpendKey }) => publicSpendKey === owner);
  if (found === undefined) throw new Error('no such sub-wallet');
  return found;
};

export const amounts = (outputs: readonly WalletOutput[]): bigint[] => outputs.map(({ amount }) => amount);

/** Alice spends all her outputs and receives `change`. */
export function sendAll(ledger: Ledger, name: string, change: bigint): ModelTransaction {
  const inputs = of(ledger).unspent.map((output) => ({ owner: ALICE, output }));
  const transaction: ModelTransaction = {
    hash: hashOf(name),
    isCoinbase: false,
    paymentId: 'ab'.repeat(8),
    takes: inputs.map(({ output: { key, amount } }) => ({ key, amount })),
    outputs: [
      { key: hashOf(`paid by ${name}`), amount: 1n, owner: undefined },
      { key: hashOf(`change of ${name}`), amount: change, owner: ALICE },
    ],
  };
  ledger.recordSend(pendingOf(transaction, inputs));
  return transaction;
}
