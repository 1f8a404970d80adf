import { MAX_UINT64 } from '@wrkz/core-types';
import type { AppliedTransaction, BlockToApply, OwnOutputFound } from './block';
import { LedgerFault } from './fault';
import type { WalletOutput } from './model';
import type { LedgerParts } from './parts';
import type { SubWalletBook } from './sub-wallet-book';

/** What a container holds in a transfer. */
const MOST_IN_A_TRANSFER = 2n ** 63n - 1n;

export interface PlannedOutput {
  readonly book: SubWalletBook;
  readonly output: WalletOutput;
}

export interface PlannedTransaction {
  readonly transaction: AppliedTransaction;
  readonly isCoinbase: boolean;
  readonly received: readonly PlannedOutput[];
  readonly spent: readonly PlannedOutput[];
  /** By public spend key, in the order in which they were touched. */
  readonly transfers: ReadonlyMap<string, bigint>;
}

/** The transactions of a block by the scanner's number; those that are in the history already are left out. */
function transactionsOf(block: BlockToApply, { history }: LedgerParts): [number, AppliedTransaction][] {
  const seen = new Set<string>();
  return [block.coinbase, ...block.transactions].flatMap((transaction, i) => {
    if (transaction === undefined || seen.has(transaction.hash)) return [];
    seen.add(transaction.hash);
    return history.confirmedTransaction(transaction.hash) === undefined ? [[i, transaction]] : [];
  });
}

/** @throws LedgerFault when an amount is none of 64 bits, or the height no index */
export function requirePossible(block: BlockToApply): void {
  const fault = (what: string): LedgerFault => new LedgerFault(`block ${block.height} ${what}`);
  if (!Number.isSafeInteger(block.height) || block.height < 0) throw fault('has no height');
  for (const transaction of [block.coinbase, ...block.transactions]) {
    for (const { amount } of [...(transaction?.inputs ?? []), ...(transaction?.outputs ?? [])]) {
      if (amount < 0n || amount > MAX_UINT64) throw fault('has an amount that is not of 64 bits');
    }
  }
}

/**
 * What a block changes, without changing it: all its outputs are learnt before its spends, so that an output which is
 * received and spent in one block counts as spent.
 * @throws LedgerFault when a transfer does not fit a container
 */
export function planBlock(
  parts: LedgerParts,
  block: BlockToApply,
  found: readonly OwnOutputFound[],
): PlannedTransaction[] {
  const transactions = transactionsOf(block, parts);
  const touched = new Map<number, Map<string, bigint>>();
  const received = new Map<number, PlannedOutput[]>();
  const fresh = new Map<string, PlannedOutput>();
  const freshImages = new Map<string, PlannedOutput>();

  const byNumber = new Map(transactions);
  for (const item of found) {
    const transaction = byNumber.get(item.transaction);
    const target = transaction?.outputs[item.output];
    const book = parts.outputs.book(item.publicSpendKey);
    if (transaction === undefined || target === undefined || book === undefined) continue;
    const transfers = touched.get(item.transaction) ?? new Map<string, bigint>();
    touched.set(item.transaction, transfers);
    // A key that was seen before has one key image for both: only one of the two can ever be spent.
    const isSecond = parts.outputs.knows(target.key) || fresh.has(target.key);
    transfers.set(item.publicSpendKey, (transfers.get(item.publicSpendKey) ?? 0n) + (isSecond ? 0n : target.amount));
    if (isSecond) continue;
    const planned = { book, output: outputOf(block, transaction, item, target) };
    fresh.set(target.key, planned);
    if (item.keyImage !== undefined) freshImages.set(item.keyImage, planned);
    received.set(item.transaction, [...(received.get(item.transaction) ?? []), planned]);
  }

  const taken = new Set<string>();
  return transactions.map(([number, transaction]) => {
    const transfers = touched.get(number) ?? new Map<string, bigint>();
    const spent = transaction.inputs.flatMap(({ keyImage }) => {
      const place = parts.outputs.findByKeyImage(keyImage);
      const owned = freshImages.get(keyImage) ?? (place?.list === 'spent' ? undefined : place);
      if (owned === undefined || taken.has(keyImage)) return [];
      taken.add(keyImage);
      const owner = owned.book.publicSpendKey;
      transfers.set(owner, (transfers.get(owner) ?? 0n) - owned.output.amount);
      return [{ book: owned.book, output: owned.output }];
    });
    for (const amount of transfers.values()) {
      if (amount > MOST_IN_A_TRANSFER || amount < -MOST_IN_A_TRANSFER) {
        throw new LedgerFault(`block ${block.height} moves more than 2^63 in transaction ${transaction.hash}`);
      }
    }
    return { transaction, isCoinbase: number === 0, received: received.get(number) ?? [], spent, transfers };
  });
}

function outputOf(
  block: BlockToApply,
  transaction: AppliedTransaction,
  item: OwnOutputFound,
  target: { readonly key: string; readonly amount: bigint },
): WalletOutput {
  return {
    keyImage: item.keyImage,
    amount: target.amount,
    blockHeight: block.height,
    transactionPublicKey: transaction.transactionPublicKey,
    outputIndex: item.output,
    globalIndex: item.globalIndex,
    key: target.key,
    spendHeight: 0,
    unlockTime: transaction.unlockTime,
    parentTransactionHash: transaction.hash,
    privateEphemeral: item.privateEphemeral,
    spendingTransactionHash: undefined,
  };
}
