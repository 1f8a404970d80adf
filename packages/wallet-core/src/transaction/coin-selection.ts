import { walletError } from '../errors';
import type { SubWallet, WalletOutput } from '../ledger/model';
import { isSpendable } from '../ledger/queries';
import type { ContestedSend, SendContext } from './model';

/** An output that may be spent, and whose it is. */
export interface OwnedInput {
  readonly output: WalletOutput;
  readonly owner: SubWallet;
}

/**
 * Whether what is unlocked at a height comes to this amount, counted as a balance is: with outputs that no node has numbered
 * yet. Looks at no more outputs than it takes.
 */
export function unlockedCovers(amount: bigint, sources: readonly SubWallet[], height: number, now: number): boolean {
  let sum = 0n;
  for (const { output } of unlocked(sources, height, now)) {
    if (sum >= amount) return true;
    sum += output.amount;
  }
  return sum >= amount;
}

/** The unlocked, verified outputs of some sub-wallets, each one-time key once. */
export function* unlocked(sources: readonly SubWallet[], height: number, now: number): Generator<OwnedInput> {
  const seen = new Set<string>();
  const at = { height, timestamp: now };
  for (const owner of sources) {
    for (const output of owner.unspent) {
      if (seen.has(output.key) || !isSpendable(output, at)) continue;
      seen.add(output.key);
      yield { output, owner };
    }
  }
}

/** Outputs of one amount, in the order in which they came to the wallet, and how many of them are taken. */
interface Pile {
  readonly amount: bigint;
  readonly inputs: OwnedInput[];
  taken: number;
}

/**
 * The order in which a send takes inputs (docs/protocol/wallet.md#input-choice): rounds over the numbers of digits, from
 * the fewest up, each giving its smallest amount. Small outputs keep moving, and no send has to take hundreds of them.
 */
export function* smallestFirstByDigits(inputs: Iterable<OwnedInput>): Generator<OwnedInput> {
  const buckets = new Map<number, Pile[]>();
  for (const pile of piles(inputs)) {
    const digits = String(pile.amount).length;
    const bucket = buckets.get(digits);
    if (bucket === undefined) buckets.set(digits, [pile]);
    else bucket.push(pile);
  }
  const places = [...buckets.values()];
  while (places.length > 0) {
    for (let i = 0; i < places.length;) {
      const bucket = places[i] as Pile[];
      const pile = bucket[0] as Pile;
      yield pile.inputs[pile.taken++] as OwnedInput;
      if (pile.taken === pile.inputs.length) bucket.shift();
      if (bucket.length === 0) places.splice(i, 1);
      else i++;
    }
  }
}

/** From the largest down: the fewest inputs, where rounds would take more than a transaction has room for. */
export function* largestFirst(inputs: Iterable<OwnedInput>): Generator<OwnedInput> {
  for (const pile of piles(inputs).reverse()) yield* pile.inputs;
}

/** By amount, ascending. Outputs are one digit times a power of ten, so there are few piles however many outputs. */
function piles(inputs: Iterable<OwnedInput>): Pile[] {
  const byAmount = new Map<bigint, Pile>();
  for (const input of inputs) {
    const { amount } = input.output;
    const pile = byAmount.get(amount);
    if (pile === undefined) byAmount.set(amount, { amount, inputs: [input], taken: 0 });
    else pile.inputs.push(input);
  }
  return [...byAmount.values()].sort((a, b) => (a.amount < b.amount ? -1 : 1));
}

/*
 * Sizes before a transaction is there, in bytes (docs/protocol/wallet.md#size-estimate). They lie a little above what
 * comes out: offsets count as four bytes, amounts as ten.
 */

const HEADER = 44;
const PAYMENT_ID = 35;
const DATA_OVERHEAD = 4;
const INPUT = 112;
const DECOY = 68;
const OUTPUT = 43;
/** Of the header where inputs are counted into a size. */
const HEADER_OF_BATCH = 42;

interface Shape {
  readonly inputs: number;
  readonly outputs: number;
  readonly mixin: number;
  readonly hasPaymentId: boolean;
  /** Bytes of free data. */
  readonly data: number;
}

export function estimateSize({ inputs, outputs, mixin, hasPaymentId, data }: Shape): number {
  const extra = (hasPaymentId ? PAYMENT_ID : 0) + (data > 0 ? data + DATA_OVERHEAD : 0);
  return HEADER + extra + inputs * (INPUT + mixin * DECOY) + outputs * OUTPUT;
}

/** How many inputs a transaction of this size has room for beside its outputs. */
export function inputsThatFit(size: number, outputs: number, mixin: number): number {
  return Math.max(0, Math.floor((size - HEADER_OF_BATCH - outputs * OUTPUT) / (INPUT + mixin * DECOY)));
}

/** How many unlocked outputs of an amount the whole wallet has. */
export function countUnlocked({ subWallets, localHeight }: SendContext, amount: bigint, now: number): number {
  let count = 0;
  for (const { output } of unlocked(subWallets, localHeight, now)) if (output.amount === amount) count++;
  return count;
}

/**
 * The inputs that a send must spend: one of each contested transaction that the sources own an input of, so that only one of
 * the two can be mined (docs/protocol/wallet.md#refused-transactions).
 * @param candidates the inputs that may be spent
 * @throws WalletError refusedTransactionUnresolved while all inputs of a contested transaction are locked by other sends
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
