import type { WalletContent, WalletTransaction } from './model';

type Listed = Pick<WalletContent, 'transactions' | 'unconfirmed'>;

/** What a listing of confirmed transactions is cut down to; each member that is absent cuts nothing. */
export interface TransactionFilter {
  /** The first index of a block. */
  readonly start?: number | undefined;
  /** The index behind the last. */
  readonly end?: number | undefined;
  readonly publicSpendKey?: string | undefined;
  /** Exactly this text, case and all. */
  readonly paymentId?: string | undefined;
  readonly hasPaymentId?: boolean | undefined;
}

const touches = ({ transfers }: WalletTransaction, publicSpendKey: string | undefined): boolean =>
  publicSpendKey === undefined || transfers.some((transfer) => transfer.publicSpendKey === publicSpendKey);

/** Confirmed transactions in the order in which they were applied. */
export function listTransactions({ transactions }: Listed, filter: TransactionFilter = {}): WalletTransaction[] {
  const { start = 0, end = Infinity, publicSpendKey, paymentId, hasPaymentId = false } = filter;
  return transactions.filter(
    (transaction) =>
      transaction.blockHeight >= start &&
      transaction.blockHeight < end &&
      (paymentId === undefined || transaction.paymentId === paymentId) &&
      !(hasPaymentId && transaction.paymentId === '') &&
      touches(transaction, publicSpendKey),
  );
}

/** Own sends that are in no block yet, oldest first. */
export function listUnconfirmed({ unconfirmed }: Listed, publicSpendKey?: string): WalletTransaction[] {
  return unconfirmed.filter((transaction) => touches(transaction, publicSpendKey));
}

/** A confirmed transaction; the newest are looked at first. */
export function findConfirmed({ transactions }: Listed, hash: string): WalletTransaction | undefined {
  return transactions.findLast((transaction) => transaction.hash === hash);
}
