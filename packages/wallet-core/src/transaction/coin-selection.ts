import { isUnlocked } from '@wrkz/consensus';
import { groupBy } from '@wrkz/service-kit/base';
import { walletError } from '../errors';
import type { SubWallet, WalletOutput } from '../ledger/model';
import type { ContestedSend, SendContext, SendPorts } from './model';

/** A spendable output, and the sub-wallet that owns it. */
export interface OwnedInput {
  readonly output: WalletOutput;
  readonly owner: SubWallet;
}

/**
 * The unlocked, verified outputs of the sub-wallets. Repeated one-time keys are skipped, and those of expected change: the
 * output is a smaller copy, and its spend would make the change unspendable.
 * @param now Unix seconds
 */
export function* unlocked(sources: readonly SubWallet[], height: number, now: number): Generator<OwnedInput> {
  const seen = new Set<string>();
  const at = { height, timestamp: now };
  for (const owner of sources) {
    for (const { key } of owner.unconfirmedIncoming) seen.add(key);
    for (const output of owner.unspent) {
      if (seen.has(output.key) || output.verified === false || !isUnlocked(output.unlockTime, at)) continue;
      seen.add(output.key);
      yield { output, owner };
    }
  }
}

/**
 * Whether the unlocked outputs cover the amount. Includes outputs without a global index, as balances do. Stops as soon as
 * the sum suffices.
 */
export function unlockedCovers(amount: bigint, sources: readonly SubWallet[], height: number, now: number): boolean {
  let sum = 0n;
  for (const { output } of unlocked(sources, height, now)) {
    if (sum >= amount) return true;
    sum += output.amount;
  }
  return sum >= amount;
}

/** The number of unlocked outputs with this amount in the whole wallet. */
export function countUnlocked({ subWallets, localHeight }: SendContext, amount: bigint, now: number): number {
  let count = 0;
  for (const { output } of unlocked(subWallets, localHeight, now)) if (output.amount === amount) count++;
  return count;
}

export function sumOf(inputs: readonly OwnedInput[]): bigint {
  return inputs.reduce((sum, { output }) => sum + output.amount, 0n);
}

/**
 * The default coin selection (docs/protocol/wallet.md#input-choice). Groups outputs by number of digits; each round takes
 * the smallest remaining output of every group, in ascending order. Small outputs are spent early, but no send needs
 * hundreds of them.
 */
export function* smallestFirstByDigits(inputs: Iterable<OwnedInput>): Generator<OwnedInput> {
  const byDigits = groupBy(groupsByAmount(inputs), ([first]) => String(first?.output.amount).length);
  let queues = Array.from(byDigits.values(), inOrder);
  while (queues.length > 0) {
    const steps = queues.map((queue) => queue.next());
    for (const { value } of steps) if (value !== undefined) yield value;
    queues = queues.filter((_, i) => steps[i]?.done !== true);
  }
}

export function* inOrder(groups: readonly Iterable<OwnedInput>[]): Generator<OwnedInput, undefined> {
  for (const group of groups) yield* group;
}

/** Coin selection with the fewest inputs, for amounts that would need too many inputs in the default selection. */
export function largestFirst(inputs: Iterable<OwnedInput>): Generator<OwnedInput> {
  return inOrder(groupsByAmount(inputs).reverse());
}

/** Groups of equal amounts, ascending. The number of groups is small: an amount is one digit times a power of ten. */
function groupsByAmount(inputs: Iterable<OwnedInput>): OwnedInput[][] {
  const groups = groupBy(inputs, ({ output }) => output.amount);
  return [...groups].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, group]) => group);
}

/**
 * The inputs with a known global index. If two outputs of one amount have the same index, a node reported a wrong one, and
 * neither output is used.
 */
export async function indexedInputs(
  inputs: readonly OwnedInput[],
  { onIndexConflict }: Pick<SendPorts, 'onIndexConflict'>,
): Promise<OwnedInput[]> {
  const indexed = inputs.filter(({ output }) => output.globalIndex !== undefined);
  const conflicting = new Set([...groupBy(indexed, ({ output }) => output.amount).values()].flatMap(withSharedIndex));
  if (conflicting.size === 0) return indexed;
  await onIndexConflict?.(Array.from(conflicting, ({ output }) => output));
  return indexed.filter((input) => !conflicting.has(input));
}

function withSharedIndex(group: readonly OwnedInput[]): OwnedInput[] {
  const indexAt = (i: number): number => group[i]?.output.globalIndex ?? -1;
  // Fast path for wallets with many outputs: the indexes of one address are usually in ascending order.
  if (group.every((_, i) => i === 0 || indexAt(i - 1) < indexAt(i))) return [];
  return [...groupBy(group, ({ output }) => output.globalIndex).values()].filter(({ length }) => length > 1).flat();
}

/*
 * Size estimates in bytes, before a transaction is assembled (docs/protocol/wallet.md#size-estimate). They are upper
 * bounds: four bytes per key offset, ten bytes per amount.
 */

const HEADER = 44;
const PAYMENT_ID = 35;
const DATA_OVERHEAD = 4;
const INPUT = 112;
const DECOY = 68;
const OUTPUT = 43;
/** Header size that the C++ wallets use to compute how many inputs fit. */
const HEADER_OF_BATCH = 42;

interface Shape {
  readonly inputs: number;
  readonly outputs: number;
  readonly mixin: number;
  readonly hasPaymentId: boolean;
  /** Bytes of arbitrary data in extra. */
  readonly data: number;
}

export function estimateSize({ inputs, outputs, mixin, hasPaymentId, data }: Shape): number {
  const extra = (hasPaymentId ? PAYMENT_ID : 0) + (data > 0 ? data + DATA_OVERHEAD : 0);
  return HEADER + extra + inputs * (INPUT + mixin * DECOY) + outputs * OUTPUT;
}

/** The number of inputs that fit into a transaction of `size` bytes with the given number of outputs. */
export function inputsThatFit(size: number, outputs: number, mixin: number): number {
  return Math.max(0, Math.floor((size - HEADER_OF_BATCH - outputs * OUTPUT) / (INPUT + mixin * DECOY)));
}

/**
 * The inputs that a send must spend: one input of every contested transaction with inputs of the sources. Then either the
 * send or the contested transaction can be mined, but not both (docs/protocol/wallet.md#refused-transactions).
 * @param candidates the spendable inputs
 * @throws WalletError refusedTransactionUnresolved while other sends lock all inputs of a contested transaction
 */
export function contestedInputs(
  contested: readonly ContestedSend[],
  sources: readonly SubWallet[],
  candidates: readonly OwnedInput[],
): OwnedInput[] {
  if (contested.length === 0) return [];
  const owners = new Set(sources.map(({ publicSpendKey }) => publicSpendKey));
  const byKey = new Map(candidates.map((input) => [input.output.key, input]));
  const required = new Map<string, OwnedInput>();
  for (const { hash, inputs, isReplaced } of contested) {
    const own = inputs.filter(({ publicSpendKey }) => owners.has(publicSpendKey));
    if (own.length === 0 || own.some(({ key }) => required.has(key))) continue;
    const usable = own.flatMap(({ key }) => byKey.get(key) ?? []);
    const [first] = usable.sort((a, b) => (a.output.amount < b.output.amount ? -1 : 1));
    if (first !== undefined) required.set(first.output.key, first);
    else if (!isReplaced) throw walletError.refusedTransactionUnresolved(hash);
  }
  return [...required.values()];
}
