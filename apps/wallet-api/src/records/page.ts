import type { walletApi } from '@wrkz/api';
import type { WalletTransaction } from '@wrkz/wallet-core';
import { netAmount } from '@wrkz/wallet-server';
import type { z } from 'zod';

export { netAmount };

type PageQuery = z.output<typeof walletApi.pageQuery>;

interface Page {
  readonly transactions: readonly WalletTransaction[];
  /** Where the next page begins; undefined behind the last. */
  readonly nextCursor: string | undefined;
}

/** The part of a list that a query asks for. */
export function transactionPage(all: readonly WalletTransaction[], query: PageQuery): Page {
  const { limit, cursor, order = 'asc' } = query;
  const ordered = order === 'asc' ? all : all.toReversed();
  const from = cursor === undefined ? 0 : behind(ordered, cursor, order);
  const matching = matcher(query);
  const most = limit === undefined ? Infinity : Number(limit);
  const transactions: WalletTransaction[] = [];
  for (let i = from; i < ordered.length; i++) {
    const transaction = ordered[i] as WalletTransaction;
    if (!matching(transaction)) continue;
    const last = transactions.at(-1);
    if (transactions.length === most && last !== undefined) return { transactions, nextCursor: cursorOf(last) };
    transactions.push(transaction);
  }
  return { transactions, nextCursor: undefined };
}

/** Whether a transaction goes the asked way, and moves at least so much. */
export function matcher({
  direction,
  minAmount,
}: Pick<PageQuery, 'direction' | 'minAmount'>): (transaction: WalletTransaction) => boolean {
  const least = minAmount === undefined ? undefined : BigInt(minAmount);
  if (direction === undefined && least === undefined) return () => true;
  return (transaction) => {
    const amount = netAmount(transaction);
    if (direction !== undefined && (amount < 0n ? 'out' : 'in') !== direction) return false;
    return least === undefined || (amount < 0n ? -amount : amount) >= least;
  };
}

const cursorOf = ({ blockHeight, hash }: WalletTransaction): string => `${String(blockHeight)}-${hash}`;

/** Behind the transaction that a cursor names; where a reorganisation took it away, at its height. */
function behind(ordered: readonly WalletTransaction[], cursor: string, order: 'asc' | 'desc'): number {
  const [height, hash] = cursor.split('-');
  const at = ordered.findIndex((transaction) => transaction.hash === hash);
  if (at >= 0) return at + 1;
  const isBehind = ({ blockHeight }: WalletTransaction): boolean =>
    order === 'asc' ? blockHeight >= Number(height) : blockHeight <= Number(height);
  const next = ordered.findIndex(isBehind);
  return next < 0 ? ordered.length : next;
}
