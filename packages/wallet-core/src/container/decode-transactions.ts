import type { Transfer, WalletTransaction } from '../ledger/model';
import * as layout from './layout';
import type { ContainerMembers } from './members';
import type { UnknownMembers } from './unknown-members';

/** Transactions in the order of the file. */
export function* decodeTransactions(
  parent: ContainerMembers,
  list: 'transactions' | 'lockedTransactions',
  unknown: UnknownMembers,
): Generator<void, WalletTransaction[]> {
  const transactions: WalletTransaction[] = [];
  for (const members of parent.objects(list)) {
    transactions.push(decodeTransaction(members, unknown));
    yield;
  }
  return transactions;
}

function decodeTransaction(members: ContainerMembers, unknown: UnknownMembers): WalletTransaction {
  const hash = members.key('hash');
  unknown.noteUnknown(members, layout.TRANSACTION, () => layout.pathOf.transaction(hash));
  return {
    transfers: decodeTransfers(members, hash, unknown),
    hash,
    fee: members.uint64('fee'),
    blockHeight: members.count('blockHeight'),
    timestamp: members.count('timestamp'),
    // As it stands: the reference of 2025 also stores ids that are no hex.
    paymentId: members.text('paymentID'),
    unlockTime: members.uint64('unlockTime'),
    isCoinbase: members.flag('isCoinbaseTransaction'),
  };
}

function decodeTransfers(transaction: ContainerMembers, hash: string, unknown: UnknownMembers): Transfer[] {
  const transfers: Transfer[] = [];
  for (const members of transaction.objects('transfers')) {
    const publicSpendKey = members.key('publicKey');
    unknown.noteUnknown(members, layout.TRANSFER, () => layout.pathOf.transfer(hash, publicSpendKey));
    transfers.push({ publicSpendKey, amount: members.int64('amount') });
  }
  return transfers;
}
