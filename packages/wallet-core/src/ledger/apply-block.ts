import { LONG_PAYMENT_ID_LENGTH, MAX_UINT64 } from '@wrkz/core-types';
import { PackedBlock, type SyncBlock, type SyncTransaction } from '@wrkz/client/reading';
import { heldSpender } from './held-transactions';
import type { TransferAdjustment } from './history';
import {
  type LedgerChange,
  LedgerFault,
  type OwnOutputFound,
  type RetiredOutput,
  type WalletOutput,
  type WalletTransaction,
} from './model';
import { copiesOf, type OutputPlace, raisesAbove, replacing, withCopy } from './output-book';
import { type LedgerParts, unexpectChange } from './state';

/** Max amount of a transfer in the container format. */
const MAX_TRANSFER = 2n ** 63n - 1n;

type PlannedOutput = Omit<OutputPlace, 'list'>;

/** The changes of a block. */
export interface BlockPlan {
  readonly transactions: readonly PlannedTransaction[];
  /** Outputs that the ledger gets. */
  readonly received: Iterable<PlannedOutput>;
  /** Differences of the transfers of earlier blocks. */
  readonly adjustments: readonly TransferAdjustment[];
}

interface PlannedTransaction {
  readonly transaction: SyncTransaction;
  /** The value of `OwnOutputFound.transaction` for this transaction. */
  readonly number: number;
  readonly isCoinbase: boolean;
  /** With the amount of the copy that is spent. */
  readonly spent: (PlannedOutput & { readonly amount: bigint })[];
  /** Net amounts by public spend key, in the order in which they were touched. */
  readonly transfers: Map<string, bigint>;
}

/** An empty plan for each transaction of a block that the history does not have yet. */
function emptyPlan(block: SyncBlock, { history }: LedgerParts): PlannedTransaction[] {
  const seen = new Set<string>();
  return [block.coinbase, ...block.transactions].flatMap((transaction, number) => {
    if (transaction === undefined || seen.has(transaction.hash)) return [];
    seen.add(transaction.hash);
    if (history.confirmedTransaction(transaction.hash) !== undefined) return [];
    return [{ transaction, number, isCoinbase: number === 0, spent: [], transfers: new Map() }];
  });
}

/** @throws LedgerFault for an amount above 64 bits, or a height that is not a non-negative safe integer */
export function requireValidValues(block: SyncBlock): void {
  const fault = (what: string): LedgerFault => new LedgerFault(`block ${block.height} ${what}`);
  if (!Number.isSafeInteger(block.height) || block.height < 0) throw fault('has an invalid height');
  // The parser of packed blocks accepts only amounts of 64 bits.
  if (block instanceof PackedBlock) return;
  for (const transaction of [block.coinbase, ...block.transactions]) {
    for (const { amount } of [...(transaction?.inputs ?? []), ...(transaction?.outputs ?? [])]) {
      if (amount < 0n || amount > MAX_UINT64) throw fault('has an amount outside 64 bits');
    }
  }
}

/**
 * Computes the changes of a block without applying them. Outputs are processed before spends, so that an output received
 * and spent in one block counts as spent.
 * @throws LedgerFault when a transfer does not fit the container format
 */
export function planBlock(parts: LedgerParts, block: SyncBlock, found: readonly OwnOutputFound[]): BlockPlan {
  const transactions = emptyPlan(block, parts);
  const byNumber = new Map(transactions.map((planned) => [planned.number, planned]));
  const fresh = new Map<string, PlannedOutput>();
  const freshImages = new Map<string | undefined, PlannedOutput>();
  for (const item of found) {
    const planned = byNumber.get(item.transaction);
    const target = planned?.transaction.outputs[item.output];
    const book = parts.outputs.book(item.publicSpendKey);
    if (planned === undefined || target === undefined || book === undefined) continue;
    const smaller = fresh.get(target.key)?.output ?? parts.outputs.find(target.key)?.output;
    const isLargest = (smaller?.amount ?? -1n) < target.amount && parts.outputs.accepts(target);
    addTo(planned.transfers, item.publicSpendKey, isLargest ? target.amount - (smaller?.amount ?? 0n) : 0n);
    if (!isLargest) continue;
    const output = outputOf(block, planned.transaction, item, target);
    const received = { book, output: smaller === undefined ? output : replacing(smaller, output) };
    fresh.set(target.key, received);
    freshImages.set(item.keyImage, received);
  }

  const taken = new Set<string>();
  const byHash = new Map(transactions.map((planned) => [planned.transaction.hash, planned]));
  const adjustments: TransferAdjustment[] = [];
  for (const { transaction, spent, transfers } of transactions) {
    for (const { keyImage, amount: inputAmount } of transaction.inputs) {
      const place = parts.outputs.findByKeyImage(keyImage);
      const owned = freshImages.get(keyImage) ?? (place?.list === 'spent' ? undefined : place);
      if (owned === undefined || taken.has(keyImage)) continue;
      taken.add(keyImage);
      const { publicSpendKey } = owned.book;
      const { amount } = copiesOf(owned.output).find((one) => one.amount === inputAmount) ?? owned.output;
      addTo(transfers, publicSpendKey, -amount);
      spent.push({ ...owned, amount });
      // A larger copy can no longer be spent. It must not count as received, or its sender would be credited.
      for (const raise of raisesAbove(owned.output, amount)) {
        const sameBlock = byHash.get(raise.hash);
        if (sameBlock !== undefined) addTo(sameBlock.transfers, publicSpendKey, -raise.amount);
        else adjustments.push({ hash: raise.hash, publicSpendKey, amount: -raise.amount });
      }
    }
    for (const amount of transfers.values()) {
      if (amount > MAX_TRANSFER || amount < -MAX_TRANSFER) {
        throw new LedgerFault(`block ${block.height} moves more than 2^63 in transaction ${transaction.hash}`);
      }
    }
  }
  return { transactions, received: fresh.values(), adjustments };
}

function addTo(transfers: Map<string, bigint>, publicSpendKey: string, amount: bigint): void {
  transfers.set(publicSpendKey, (transfers.get(publicSpendKey) ?? 0n) + amount);
}

function outputOf(
  block: SyncBlock,
  transaction: SyncTransaction,
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

/** Age in blocks at which spent outputs are retired, and the interval of the retirement (docs/protocol/wallet.md#spent-outputs). */
export const RETIREMENT_BLOCKS = 2_880;

/** Applies a plan. @returns the transactions that were added to the history, after those whose transfers changed */
export function applyPlan(
  parts: LedgerParts,
  block: SyncBlock,
  { transactions, received, adjustments }: BlockPlan,
  decryptedPaymentIds: ReadonlyMap<string, string>,
  isVerified: boolean,
): WalletTransaction[] {
  for (const { book, output } of received) {
    receive(parts, { book, output: isVerified ? output : { ...output, verified: false } });
  }
  const { outputs, history } = parts;
  const adjusted = history.adjust(adjustments);
  const added = transactions.flatMap((planned) => {
    const { transaction, spent } = planned;
    const sent = history.send(transaction.hash);
    const transfers = withRetired(parts, planned);
    for (const { book, output, amount } of spent) {
      outputs.put(book, 'spent', {
        ...withCopy(outputs.find(output.key)?.output ?? output, amount),
        spendHeight: block.height,
        spendingTransactionHash: transaction.hash,
      });
    }
    const wasHeld = parts.held.delete(transaction.hash);
    if (sent !== undefined || wasHeld) {
      history.removeSend(transaction.hash);
      unexpectChange(parts, transaction.hash);
    }
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
      ...(!isVerified && { unverifiedBlock: block.hash }),
    };
    history.confirm(record);
    return [record];
  });
  return [...adjusted, ...added];
}

/** Adds an output: locked if a pending send spends it or the output that it replaces, else unspent. */
function receive({ outputs, awaited, history, held }: LedgerParts, { book, output }: PlannedOutput): void {
  const { keyImage = '' } = output;
  const spend = awaited.get(keyImage);
  // A smaller copy of the change of a pending send does not replace the change.
  if ((book.unconfirmedIncoming().get(output.key)?.amount ?? 0n) <= output.amount) book.unexpect(output.key);
  if ((spend?.change.amount ?? 0n) <= output.amount) awaited.delete(keyImage);
  if (outputs.find(output.key)?.list === 'locked') {
    outputs.put(book, 'locked', output);
    return;
  }
  const isSpent = spend !== undefined && history.send(spend.spendingTransactionHash) !== undefined;
  const spender = isSpent ? spend.spendingTransactionHash : heldSpender(held, output.key);
  if (spender === undefined) outputs.put(book, 'unspent', output);
  else outputs.put(book, 'locked', { ...output, spendingTransactionHash: spender });
}

/**
 * The transfers of a send whose inputs are partly retired. A rescan does not find retired inputs, so the previously recorded
 * transfers are used for sub-wallets with retired outputs.
 */
function withRetired(
  { outputs, history }: LedgerParts,
  { transaction: { hash, inputs }, spent, transfers }: PlannedTransaction,
): ReadonlyMap<string, bigint> {
  const recorded = history.returnedSend(hash);
  if (recorded === undefined || spent.length === inputs.length) return transfers;
  const merged = new Map(transfers);
  for (const { publicSpendKey, amount } of recorded.transfers) {
    const isRetired = (outputs.book(publicSpendKey)?.retiredKeys.size ?? 0) > 0;
    if (isRetired && amount < (transfers.get(publicSpendKey) ?? 0n)) merged.set(publicSpendKey, amount);
  }
  return merged;
}

/** The fee, clamped to 0..2^64 - 1 for the container: a faulty node may report larger outputs than inputs, or more than 2^64. */
function feeOf({ inputs, outputs }: SyncTransaction): bigint {
  const fee = sum(inputs) - sum(outputs);
  if (fee < 0n) return 0n;
  return fee > MAX_UINT64 ? MAX_UINT64 : fee;
}

const sum = (parts: readonly { readonly amount: bigint }[]): bigint =>
  parts.reduce((total, { amount }) => total + amount, 0n);

/** The payment id. The short id of an own send is encrypted for the receiver, so the recorded id is used. */
function paymentIdOf(
  { transaction, isCoinbase, spent }: PlannedTransaction,
  sent: WalletTransaction | undefined,
  decrypted: ReadonlyMap<string, string>,
): string {
  if (isCoinbase) return '';
  const { paymentId, hash } = transaction;
  if (paymentId.length === LONG_PAYMENT_ID_LENGTH) return paymentId;
  if (sent !== undefined) return sent.paymentId;
  return spent.length === 0 ? (decrypted.get(hash) ?? '') : '';
}

/**
 * Retires outputs spent at least {@link RETIREMENT_BLOCKS} blocks ago, each time the height passes a multiple of `RETIREMENT_BLOCKS`.
 * @returns the retired outputs, for the wallet database
 */
export function retireSpent({ outputs, history }: LedgerParts, from: number, to: number): RetiredOutput[] {
  const boundary = to - (to % RETIREMENT_BLOCKS);
  const retired: RetiredOutput[] = [];
  if (from >= boundary) return retired;
  for (const book of outputs.all()) {
    for (const output of [...book.outputs('spent').values()]) {
      if (output.spendHeight > boundary - RETIREMENT_BLOCKS) continue;
      // The block of the spend is not verified yet.
      const spender = history.confirmedTransaction(output.spendingTransactionHash ?? '');
      if (spender?.unverifiedBlock !== undefined) continue;
      outputs.retire(book, output.key);
      retired.push({ output, publicSpendKey: book.publicSpendKey });
    }
  }
  return retired;
}

/**
 * The transactions of a block that concern the wallet, with renumbered outputs; undefined if there are none. Must be called
 * before the plan is applied.
 */
export function relevantPart(
  { history, held }: LedgerParts,
  block: SyncBlock,
  { transactions: planned }: BlockPlan,
  found: readonly OwnOutputFound[],
): Pick<Extract<LedgerChange, { kind: 'block' }>, 'block' | 'found'> | undefined {
  const relevant = planned.filter(
    ({ transaction: { hash }, transfers }) => transfers.size > 0 || history.send(hash) !== undefined || held.has(hash),
  );
  if (relevant.length === 0) return undefined;
  const coinbase = relevant.find(({ isCoinbase }) => isCoinbase)?.transaction;
  const transactions = relevant.flatMap(({ isCoinbase, transaction }) => (isCoinbase ? [] : [transaction]));
  const first = coinbase === undefined ? 1 : 0;
  const numbers = new Map(relevant.map(({ number }, i) => [number, first + i]));
  const renumbered = found.flatMap((one) => {
    const transaction = numbers.get(one.transaction);
    return transaction === undefined ? [] : [{ ...one, transaction }];
  });
  const { height, hash, timestamp } = block;
  return { block: { height, hash, timestamp, coinbase, transactions }, found: renumbered };
}
