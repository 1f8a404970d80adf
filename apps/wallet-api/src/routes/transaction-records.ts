import type { walletApi } from '@wrkz/api';
import { FinishedJson, stringifyJson } from '@wrkz/service-kit';
import type { WalletTransaction } from '@wrkz/wallet-core';
import { netAmount } from '@wrkz/wallet-server';
import type { z } from 'zod';
import type { OpenWallet } from '../wallet-manager';

export type TransactionRecord = z.output<typeof walletApi.transactionRecord>;
type PageQuery = z.output<typeof walletApi.pageQuery>;

/**
 * Returns a converter from transactions to records, which looks up addresses once per response. Confirmations count only
 * blocks of the wallet: the unverified height of a node confirms nothing.
 */
export function transactionRecorder({ wallet }: OpenWallet): (transaction: WalletTransaction) => TransactionRecord {
  const { snapshot } = wallet;
  const addresses = new Map(snapshot.subWallets.map(({ publicSpendKey, address }) => [publicSpendKey, address]));
  const { walletHeight } = wallet.syncStatus;
  return (transaction) => ({
    blockHeight: transaction.blockHeight,
    confirmations: transaction.blockHeight === 0 ? 0 : Math.max(0, walletHeight - transaction.blockHeight + 1),
    fee: transaction.fee,
    hash: transaction.hash,
    isCoinbaseTransaction: transaction.isCoinbase,
    paymentID: transaction.paymentId,
    timestamp: transaction.timestamp,
    transfers: transaction.transfers.map(({ publicSpendKey, amount }) => {
      return { address: addresses.get(publicSpendKey) ?? '', amount };
    }),
    unlockTime: transaction.unlockTime,
    ...(transaction.unverifiedBlock !== undefined && { verified: false }),
  });
}

/** Transactions processed between two yields to the event loop. */
const CHUNK_SIZE = 500;

/**
 * Chunks of a list. Yields to the event loop before each chunk except the first, because a wallet may have 100,000
 * transactions.
 */
export async function* chunks<T>(items: readonly T[]): AsyncGenerator<readonly T[]> {
  for (let from = 0; from < items.length; from += CHUNK_SIZE) {
    if (from > 0) await new Promise((resolve) => setImmediate(resolve));
    yield items.slice(from, from + CHUNK_SIZE);
  }
}

/** `{"transactions":[...]}` in pieces. */
export async function* transactionsJson(
  open: OpenWallet,
  transactions: readonly WalletTransaction[],
  nextCursor?: string,
): AsyncGenerator<string> {
  const record = transactionRecorder(open);
  let separator = nextCursor === undefined ? '{"transactions":[' : `{"nextCursor":"${nextCursor}","transactions":[`;
  for await (const chunk of chunks(transactions)) {
    yield separator + chunk.map((transaction) => stringifyJson(record(transaction))).join(',');
    separator = ',';
  }
  yield separator === ',' ? ']}' : `${separator}]}`;
}

/** The response of a listing. */
export async function transactionList(
  open: OpenWallet,
  transactions: readonly WalletTransaction[],
  nextCursor?: string,
): Promise<FinishedJson> {
  const parts: Buffer[] = [];
  for await (const text of transactionsJson(open, transactions, nextCursor)) parts.push(Buffer.from(text));
  return new FinishedJson(Buffer.concat(parts));
}

/** A predicate for `direction` (sign of the net amount) and `minAmount` (absolute net amount, atomic units). */
export function transactionFilter({
  direction,
  minAmount,
}: Pick<PageQuery, 'direction' | 'minAmount'>): (transaction: WalletTransaction) => boolean {
  const min = minAmount === undefined ? undefined : BigInt(minAmount);
  if (direction === undefined && min === undefined) return () => true;
  return (transaction) => {
    const amount = netAmount(transaction);
    if (direction !== undefined && (amount < 0n ? 'out' : 'in') !== direction) return false;
    return min === undefined || (amount < 0n ? -amount : amount) >= min;
  };
}
