import type { WalletSnapshot } from '../../../src';
import { recorded, type RecordedTransaction } from '../../ledger/support/chain-a-wallets';

type Report = Omit<(typeof recorded.wallets)[string]['report'], 'status'>;

const byAddress = <T extends { readonly address: string }>(list: readonly T[]): T[] =>
  list.toSorted((a, b) => a.address.localeCompare(b.address));

/** A report with sums in place of locked and unlocked amounts: a pruned node cannot prove all outputs. */
export function withoutLocks({ balance, balances, transactions }: Report): unknown {
  const total = ({ locked, unlocked }: Report['balance']): number => locked + unlocked;
  return { total: total(balance), totals: balances.map((one) => [one.address, total(one)]), transactions };
}

/** The report of the reference. Lists in the order of its hash maps are sorted. */
export function recordedReport(name: string): Report {
  const report = recorded.wallets[name]?.report;
  if (report === undefined) throw new Error(`no wallet ${name}`);
  const { balance, balances, transactions } = report;
  return {
    balance,
    balances: byAddress(balances),
    transactions: transactions.map((one) => ({ ...one, transfers: byAddress(one.transfers) })),
  };
}

/** The report of a wallet, in the format of the reference. */
export function reportOf(snapshot: WalletSnapshot): Report {
  const { subWallets } = snapshot;
  const addressOf = new Map(subWallets.map(({ publicSpendKey, address }) => [publicSpendKey, address]));
  const balance = (keys?: readonly string[]): Report['balance'] => {
    const { locked, unlocked } = snapshot.balance(keys);
    return { locked: Number(locked), unlocked: Number(unlocked) };
  };
  const transactions: RecordedTransaction[] = snapshot.transactions().map((transaction) => ({
    blockHeight: transaction.blockHeight,
    fee: Number(transaction.fee),
    hash: transaction.hash,
    isCoinbaseTransaction: transaction.isCoinbase,
    paymentID: transaction.paymentId,
    timestamp: transaction.timestamp,
    transfers: byAddress(
      transaction.transfers.map(({ publicSpendKey, amount }) => ({
        address: addressOf.get(publicSpendKey) ?? '',
        amount: Number(amount),
      })),
    ),
    unlockTime: Number(transaction.unlockTime),
  }));
  return {
    balance: balance(),
    balances: byAddress(subWallets.map(({ address, publicSpendKey }) => ({ address, ...balance([publicSpendKey]) }))),
    transactions,
  };
}
