import { LONG_PAYMENT_ID_LENGTH, MAX_UINT64, SHORT_PAYMENT_ID_LENGTH } from '@wrkz/core-types';
import type { AppliedTransaction, BlockToApply } from './block';
import type { PlannedTransaction } from './block-plan';
import type { WalletTransaction } from './model';
import { type LedgerParts, unexpectChange } from './parts';

/** Blocks after which a spent output is given up, and how often that is done (docs/protocol/wallet.md#spent-outputs). */
export const SPENT_KEPT = 2_880;

/** Carries out what was planned, and gives back the transactions that are new to the history. */
export function applyPlan(
  parts: LedgerParts,
  block: BlockToApply,
  plan: readonly PlannedTransaction[],
  decryptedPaymentIds: ReadonlyMap<string, string>,
): WalletTransaction[] {
  for (const { received } of plan) for (const { book, output } of received) receive(parts, book.publicSpendKey, output);
  return plan.flatMap((planned) => {
    const { transaction, spent } = planned;
    const { outputs, history } = parts;
    const sent = history.send(transaction.hash);
    const transfers = withRetired(parts, planned);
    for (const { book, output } of spent) {
      outputs.put(book, 'spent', {
        ...(outputs.find(output.key)?.output ?? output),
        spendHeight: block.height,
        spendingTransactionHash: transaction.hash,
      });
    }
    const held = parts.held.delete(transaction.hash);
    if (sent !== undefined) history.removeSend(transaction.hash);
    if (sent !== undefined || held !== undefined) unexpectChange(parts, transaction.hash);
    if (transfers.size === 0) return [];
    const record: WalletTransaction = {
      transfers: Array.from(transfers, ([publicSpendKey, amount]) => ({ publicSpendKey, amount })),
      hash: transaction.hash,
      fee: planned.isCoinbase ? 0n : feeOf(transaction),
      blockHeight: block.height,
      timestamp: block.timestamp,
      paymentId: paymentIdOf(planned, sent, decryptedPaymentIds),
      unlockTime: transaction.unlockTime,
      isCoinbase: planned.isCoinbase,
    };
    history.confirm(record);
    return [record];
  });
}

/** An output that a send under way takes is locked again; any other is free. */
function receive(
  parts: LedgerParts,
  publicSpendKey: string,
  output: PlannedTransaction['received'][0]['output'],
): void {
  const { outputs, awaited, history, held } = parts;
  const book = outputs.book(publicSpendKey);
  if (book === undefined) return;
  book.unexpect(output.key);
  const spend = output.keyImage === undefined ? undefined : awaited.find(output.keyImage);
  if (spend !== undefined) awaited.delete(spend.keyImage);
  const isTaken = spend !== undefined && history.send(spend.spendingTransactionHash) !== undefined;
  const taker = isTaken ? spend.spendingTransactionHash : held.takerOf(output.key);
  if (taker === undefined) outputs.put(book, 'unspent', output);
  else outputs.put(book, 'locked', { ...output, spendingTransactionHash: taker });
}

/**
 * The transfers of a send whose inputs are partly retired: their amounts are known from the time before the rescan alone. A
 * sub-wallet without retired outputs takes nothing from there.
 */
function withRetired(
  { outputs, history }: LedgerParts,
  { transaction: { hash }, transfers }: PlannedTransaction,
): ReadonlyMap<string, bigint> {
  if (!history.wasConfirmed(hash)) return transfers;
  const merged = new Map(transfers);
  for (const { publicSpendKey, amount } of history.send(hash)?.transfers ?? []) {
    const isRetired = (outputs.book(publicSpendKey)?.retiredKeys.size ?? 0) > 0;
    if (isRetired && amount < (transfers.get(publicSpendKey) ?? 0n)) merged.set(publicSpendKey, amount);
  }
  return merged;
}

/** What a container has a place for: a node that names more outputs than inputs, or inputs of more than 2^64, lies. */
function feeOf({ inputs, outputs }: AppliedTransaction): bigint {
  const fee = sum(inputs) - sum(outputs);
  if (fee < 0n) return 0n;
  return fee > MAX_UINT64 ? MAX_UINT64 : fee;
}

const sum = (parts: readonly { readonly amount: bigint }[]): bigint =>
  parts.reduce((total, { amount }) => total + amount, 0n);

/** A short id of an own send is encrypted to its receiver: only what was noted when it was sent can tell it. */
function paymentIdOf(
  { transaction, isCoinbase, spent }: PlannedTransaction,
  sent: WalletTransaction | undefined,
  decrypted: ReadonlyMap<string, string>,
): string {
  if (isCoinbase) return '';
  const { paymentId, hash } = transaction;
  if (paymentId.length === LONG_PAYMENT_ID_LENGTH) return paymentId;
  if (sent !== undefined && sent.paymentId !== '') return sent.paymentId;
  return paymentId.length === SHORT_PAYMENT_ID_LENGTH && spent.length === 0 ? (decrypted.get(hash) ?? '') : '';
}

/** Gives up outputs that were spent long ago, each time the height passes a multiple of the span. */
export function retireSpent({ outputs }: LedgerParts, from: number, to: number): void {
  const boundary = to - (to % SPENT_KEPT);
  if (from >= boundary || boundary === 0) return;
  for (const book of outputs.all()) {
    for (const output of [...book.outputs('spent').values()]) {
      if (output.spendHeight <= boundary - SPENT_KEPT) outputs.retire({ book, list: 'spent', output });
    }
  }
}
