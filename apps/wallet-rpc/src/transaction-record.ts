import type { walletRpcApi } from '@wrkz/api';
import type { WalletTransaction } from '@wrkz/wallet-core';
import { netAmount } from '@wrkz/wallet-server';
import type { z } from 'zod';
import type { WalletRpcContext } from './context';

export type ServiceTransaction = z.output<typeof walletRpcApi.transactionObject>;
type TransferRecord = ServiceTransaction['transfers'][number];

/** `blockIndex` of an unconfirmed transaction. */
const NO_BLOCK = 4_294_967_295;

export const TransactionState = { succeeded: 0, cancelled: 2, created: 3 } as const;

type State = (typeof TransactionState)[keyof typeof TransactionState];

const NORMAL = 0;
const CHANGE = 2;

/** Returns a converter for the records of one response, which looks up addresses once. */
export function serviceTransactions({
  wallet,
  details: cache,
}: Pick<WalletRpcContext, 'wallet' | 'details'>): (
  transaction: WalletTransaction,
  state?: State,
) => ServiceTransaction {
  const { subWallets } = wallet.snapshot;
  const addresses = new Map(subWallets.map(({ publicSpendKey, address }) => [publicSpendKey, address]));
  return (transaction, state = TransactionState.succeeded) => {
    const details = cache.get(transaction.hash);
    const isMined = transaction.blockHeight > 0;
    const transfers =
      details?.sent === undefined ? scannedTransfers(transaction, details, addresses) : sentTransfers(details.sent);
    return {
      amount: details?.sent !== undefined && !isMined ? ownSum(transfers, addresses) : netAmount(transaction),
      blockIndex: isMined ? transaction.blockHeight : NO_BLOCK,
      extra: details?.extra.toString('hex') ?? '',
      fee: transaction.fee,
      isBase: transaction.isCoinbase,
      paymentId: transaction.paymentId.toLowerCase(),
      state,
      timestamp: transaction.timestamp,
      transactionHash: transaction.hash,
      transfers,
      unlockTime: isMined ? transaction.unlockTime : (details?.unlockTime ?? transaction.unlockTime),
      ...(transaction.unverifiedBlock !== undefined && { verified: false }),
    };
  };
}

type Details = NonNullable<ReturnType<WalletRpcContext['details']['get']>>;

function sentTransfers(sent: NonNullable<Details['sent']>): TransferRecord[] {
  return sent.map(({ address, amount, isChange }) => ({ address, amount, type: isChange ? CHANGE : NORMAL }));
}

/** Net amount of a send for the container, including payments to own addresses. */
function ownSum(transfers: readonly TransferRecord[], addresses: ReadonlyMap<string, string>): bigint {
  const own = new Set(addresses.values());
  return transfers.reduce((sum, { address, amount }) => sum + (own.has(address) ? amount : 0n), 0n);
}

/**
 * The spent and the received amount of each own address, then of all other parties together. Without details, each own
 * address has one entry with the net amount, and there are no entries for other parties.
 */
function scannedTransfers(
  { transfers, isCoinbase }: WalletTransaction,
  details: Details | undefined,
  addresses: ReadonlyMap<string, string>,
): TransferRecord[] {
  const records: TransferRecord[] = [];
  const add = (address: string, amount: bigint): void => {
    if (amount !== 0n) records.push({ address, amount, type: NORMAL });
  };
  let [paid, got] = [0n, 0n];
  for (const { publicSpendKey, amount } of transfers) {
    const received = details?.received?.get(publicSpendKey) ?? (amount > 0n ? amount : 0n);
    const taken = received - amount;
    add(addresses.get(publicSpendKey) ?? '', -taken);
    add(addresses.get(publicSpendKey) ?? '', received);
    paid += taken;
    got += received;
  }
  if (details === undefined || isCoinbase) return records;
  add('', paid - details.inputs);
  add('', details.outputs - got);
  return records;
}
