import { Ledger } from '../../src/ledger/ledger';
import type { WalletOutput, WalletTransaction } from '../../src/ledger/model';
import { applyAll, readWallet, recorded } from './support/chain-a-wallets';
import { readReferenceFile } from './support/reference-file';

/* The ledger compared with the containers that the reference wrote after the same scan, field by field. */

const ZEROS = '0'.repeat(64);

const outputOf = (output: WalletOutput): Record<string, unknown> => ({
  keyImage: output.keyImage ?? ZEROS,
  amount: Number(output.amount),
  blockHeight: output.blockHeight,
  transactionPublicKey: output.transactionPublicKey,
  transactionIndex: output.outputIndex,
  globalOutputIndex: output.globalIndex,
  key: output.key,
  spendHeight: output.spendHeight,
  unlockTime: Number(output.unlockTime),
  parentTransactionHash: output.parentTransactionHash,
});

const transactionOf = (transaction: WalletTransaction): Record<string, unknown> => ({
  transfers: byKey(
    transaction.transfers.map(({ publicSpendKey, amount }) => ({ publicKey: publicSpendKey, amount: Number(amount) })),
    'publicKey',
  ),
  hash: transaction.hash,
  fee: Number(transaction.fee),
  blockHeight: transaction.blockHeight,
  timestamp: transaction.timestamp,
  paymentID: transaction.paymentId,
  unlockTime: Number(transaction.unlockTime),
  isCoinbaseTransaction: transaction.isCoinbase,
});

const byKey = <T extends Record<string, unknown>>(list: readonly T[], member: string): T[] =>
  list.toSorted((a, b) => String(a[member]).localeCompare(String(b[member])));

/** A view wallet has no key images and no global indexes, and not every file has one-time secrets. */
function comparable(list: readonly Record<string, unknown>[], isViewWallet: boolean): Record<string, unknown>[] {
  return byKey(
    list.map(({ privateEphemeral: _, globalOutputIndex, keyImage, ...rest }) =>
      isViewWallet ? rest : { ...rest, globalOutputIndex, keyImage },
    ),
    'key',
  );
}

test.each(Object.keys(recorded.wallets))('%s', async (name) => {
  const wallet = await readWallet(name);
  const ledger = new Ledger(wallet.empty);
  applyAll(ledger, wallet.chain);
  const content = ledger.content();
  const file = await readReferenceFile(wallet.file.file, wallet.file.password);
  const { isViewWallet } = content;
  expect(content.transactions.map(transactionOf)).toEqual(
    file.subWallets.transactions.map(({ transfers, ...rest }) => ({
      transfers: byKey(transfers as Record<string, unknown>[], 'publicKey'),
      ...rest,
    })),
  );
  expect(content.unconfirmed).toEqual([]);
  for (const reported of file.subWallets.subWallet) {
    const ours = content.subWallets.find(({ publicSpendKey }) => publicSpendKey === reported.publicSpendKey);
    const list = (outputs: readonly WalletOutput[] = []): unknown => comparable(outputs.map(outputOf), isViewWallet);
    expect(list(ours?.unspent)).toEqual(comparable(reported.unspentInputs, isViewWallet));
    expect(list(ours?.locked)).toEqual(comparable(reported.lockedInputs, isViewWallet));
    expect(list(ours?.spent)).toEqual(comparable(reported.spentInputs, isViewWallet));
  }
  const { lastKnownBlockHashes, lastKnownBlockHeight } = file.walletSynchronizer.transactionSynchronizerStatus;
  expect(content.progress.height).toBe(lastKnownBlockHeight);
  const known = [...new Set(lastKnownBlockHashes)];
  expect(content.progress.recentHashes.slice(0, known.length)).toEqual(known);
});
