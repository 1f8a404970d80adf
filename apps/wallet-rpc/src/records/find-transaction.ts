import type { DelayedState, WalletTransaction } from '@wrkz/wallet-core';
import type { WalletRpcContext } from '../context';
import { type ServiceTransaction, serviceTransactions, TransactionState } from './transaction-record';

/** One that has left is no plan any more, also where the wallet has forgotten it: after a reset, or without its address. */
const STATES = {
  delayed: TransactionState.created,
  sending: TransactionState.created,
  sent: TransactionState.succeeded,
  deleted: TransactionState.cancelled,
} as const satisfies Record<DelayedState, number>;

/** A transaction of the wallet: in a block, on its way, in the pool, delayed or deleted. */
export async function findTransaction(
  context: WalletRpcContext,
  hash: string,
): Promise<ServiceTransaction | undefined> {
  const { wallet, pool, delayed, details } = context;
  const { snapshot } = wallet;
  const confirmed = snapshot.transaction(hash);
  if (confirmed !== undefined) await details.ensure([confirmed]);
  const record = serviceTransactions(context);
  const known = confirmed ?? snapshot.unconfirmed().find((transaction) => transaction.hash === hash) ?? pool.get(hash);
  if (known !== undefined) return record(known);
  const row = delayed.get(hash);
  if (row === undefined) return undefined;
  const { fee, intent } = delayed.read(row);
  const waiting: WalletTransaction = {
    transfers: intent.transfers,
    hash,
    fee,
    blockHeight: 0,
    timestamp: 0,
    paymentId: intent.paymentId,
    unlockTime: 0n,
    isCoinbase: false,
  };
  return record(waiting, STATES[row.state]);
}
