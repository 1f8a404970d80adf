import type { walletApi } from '@wrkz/api';
import { FinishedJson, stringifyJson } from '@wrkz/service-kit';
import type { WalletTransaction } from '@wrkz/wallet-core';
import type { z } from 'zod';
import type { Open } from '../open-wallet';

export type TransactionRecord = z.output<typeof walletApi.transactionRecord>;

/** Makes the records of one answer: addresses by spend key, and the network's tip, looked up once. */
export function transactionRecorder({
  wallet,
  syncStatus,
}: Open): (transaction: WalletTransaction) => TransactionRecord {
  const { snapshot } = wallet;
  const addresses = new Map(snapshot.subWallets.map(({ publicSpendKey, address }) => [publicSpendKey, address]));
  const { networkHeight, walletHeight } = syncStatus();
  const tip = Math.max(networkHeight, walletHeight);
  return (transaction) => ({
    blockHeight: transaction.blockHeight,
    confirmations: transaction.blockHeight === 0 ? 0 : Math.max(0, tip - transaction.blockHeight + 1),
    fee: transaction.fee,
    hash: transaction.hash,
    isCoinbaseTransaction: transaction.isCoinbase,
    paymentID: transaction.paymentId,
    timestamp: transaction.timestamp,
    transfers: transaction.transfers.map(({ publicSpendKey, amount }) => {
      return { address: addresses.get(publicSpendKey) ?? '', amount };
    }),
    unlockTime: transaction.unlockTime,
  });
}

/** Records that are printed before other requests get their turn. */
const AT_ONCE = 500;

/** Lets other requests have their turn. */
export const nextTurn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** The answer of a list, printed piece by piece: a wallet may hold a hundred thousand. */
export async function listed(open: Open, transactions: readonly WalletTransaction[], more = ''): Promise<FinishedJson> {
  const record = transactionRecorder(open);
  const parts: Buffer[] = [Buffer.from(`{${more}"transactions":[`)];
  for (let from = 0; from < transactions.length; from += AT_ONCE) {
    if (from > 0) await nextTurn();
    const texts = transactions.slice(from, from + AT_ONCE).map((transaction) => stringifyJson(record(transaction)));
    parts.push(Buffer.from((from === 0 ? '' : ',') + texts.join(',')));
  }
  parts.push(Buffer.from(']}'));
  return new FinishedJson(Buffer.concat(parts));
}
