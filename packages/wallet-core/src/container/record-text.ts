import type { UnconfirmedAmount, WalletOutput, WalletTransaction } from '../ledger/model';
import * as layout from './layout';
import { ObjectWriter, type UnknownByPath } from './object-writer';

/* The JSON of what a container holds by the thousand. */

const quoted = (key: string): string => `"${key}"`;
const quotedIfAny = (key: string | undefined): string | undefined => (key === undefined ? undefined : `"${key}"`);

export function inputText(output: WalletOutput, unknown: UnknownByPath): string {
  const { parentTransactionHash, outputIndex } = output;
  return new ObjectWriter(unknown, layout.pathOf.output(parentTransactionHash, outputIndex)).text(layout.INPUT, {
    amount: String(output.amount),
    blockHeight: String(output.blockHeight),
    globalOutputIndex: String(output.globalIndex ?? 0),
    key: quoted(output.key),
    keyImage: quoted(output.keyImage ?? layout.NO_KEY),
    parentTransactionHash: quoted(parentTransactionHash),
    privateEphemeral: quotedIfAny(output.privateEphemeral),
    spendHeight: String(output.spendHeight),
    spendingTransactionHash: quotedIfAny(output.spendingTransactionHash),
    transactionIndex: String(outputIndex),
    transactionPublicKey: quoted(output.transactionPublicKey),
    unlockTime: String(output.unlockTime),
  });
}

export function unconfirmedAmountText(amount: UnconfirmedAmount, unknown: UnknownByPath): string {
  return new ObjectWriter(unknown, layout.pathOf.unconfirmedAmount(amount.key)).text(layout.UNCONFIRMED_AMOUNT, {
    amount: String(amount.amount),
    key: quoted(amount.key),
    parentTransactionHash: quoted(amount.parentTransactionHash),
  });
}

export function transactionText(transaction: WalletTransaction, unknown: UnknownByPath): string {
  const { hash } = transaction;
  const transfers = transaction.transfers.map(({ publicSpendKey, amount }) =>
    new ObjectWriter(unknown, layout.pathOf.transfer(hash, publicSpendKey)).text(layout.TRANSFER, {
      amount: String(amount),
      publicKey: quoted(publicSpendKey),
    }),
  );
  return new ObjectWriter(unknown, layout.pathOf.transaction(hash)).text(layout.TRANSACTION, {
    blockHeight: String(transaction.blockHeight),
    fee: String(transaction.fee),
    hash: quoted(hash),
    isCoinbaseTransaction: String(transaction.isCoinbase),
    paymentID: JSON.stringify(transaction.paymentId),
    timestamp: String(transaction.timestamp),
    transfers: `[${transfers.join(',')}]`,
    unlockTime: String(transaction.unlockTime),
  });
}
