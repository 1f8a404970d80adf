import { fromHex, toHex } from '@wrkz/core-types';
import { checkKey } from '@wrkz/crypto';
import type { WalletError } from '../errors';
import type { OwnedInput } from './coin-selection';
import { failures } from './failures';
import type { DecoySet, SpendNode } from './model';
import { mapBreathing } from './yielding';

/** A place in a ring. */
export interface RingMember {
  readonly index: number;
  readonly key: Buffer;
}

/** What an input hides among, ascending by global index. */
export interface Ring {
  readonly input: OwnedInput;
  readonly members: readonly RingMember[];
  /** The place of our own output. */
  readonly real: number;
}

const LARGEST_INDEX = 0xffff_ffff;

/** The node has too few others of some amount: a smaller ring may do. */
export class TooFewDecoys extends Error {
  override readonly name = 'TooFewDecoys';

  constructor(
    /** The largest mixin that what it gave has room for; 0 when nothing is known. */
    readonly achievable: number,
    readonly failure: WalletError,
    readonly asked: readonly bigint[],
    /** Of these amounts there are too few; undefined where the node did not tell. */
    readonly rare?: readonly bigint[],
  ) {
    super(failure.message);
  }
}

/**
 * The rings of some inputs, of `mixin` others each. What the node gives is checked: our own output, repeats, numbers
 * beyond 32 bits and keys that are no points are dropped, and the order is made here
 * (docs/protocol/wallet.md#decoys).
 * @throws TooFewDecoys; WalletError 30
 */
export async function makeRings(inputs: readonly OwnedInput[], mixin: number, node: SpendNode): Promise<Ring[]> {
  if (mixin === 0) return inputs.map((input) => ringOf(input, []));
  const amounts = inputs.map(({ output }) => output.amount);
  const answer = await node.randomOuts(amounts, mixin + 1);
  if (answer.kind === 'unavailable') throw failures.nodeOffline();
  if (answer.kind === 'tooFew') throw new TooFewDecoys(0, failures.tooFewFakeOutputs(), amounts);
  const sets = setsOf(inputs, answer.sets);
  const known = knownKeys(inputs);
  const usable = await mapBreathing(inputs, (input, i) => others(input, sets[i] as DecoySet, known));
  const fewest = usable.reduce(
    (least, list, i) => (list.length < (usable[least] as RingMember[]).length ? i : least),
    0,
  );
  const found = (usable[fewest] as RingMember[]).length;
  if (found < mixin) {
    const { amount } = (inputs[fewest] as OwnedInput).output;
    const rare = amounts.filter((_, i) => (usable[i] as RingMember[]).length < mixin);
    throw new TooFewDecoys(found, failures.notEnoughFakeOutputs(amount, mixin, found), amounts, rare);
  }
  return inputs.map((input, i) => ringOf(input, (usable[i] as RingMember[]).slice(0, mixin)));
}

/** The set of each input by amount: a node that mixes up their order is understood. */
function setsOf(inputs: readonly OwnedInput[], sets: readonly DecoySet[]): DecoySet[] {
  const byAmount = new Map<bigint, DecoySet[]>();
  for (const set of sets) {
    const same = byAmount.get(set.amount);
    if (same === undefined) byAmount.set(set.amount, [set]);
    else same.push(set);
  }
  const amounts = inputs.map(({ output }) => output.amount);
  const taken = amounts.map((amount) => byAmount.get(amount)?.shift());
  const missing = amounts.filter((_, i) => taken[i] === undefined);
  const [first] = missing;
  if (first !== undefined) throw new TooFewDecoys(0, failures.noFakeOutputs(first), amounts, missing);
  if (sets.length !== inputs.length) throw new TooFewDecoys(0, failures.tooFewFakeOutputs(), amounts, []);
  return taken as DecoySet[];
}

const placeOf = (amount: bigint, index: number): string => `${amount} ${index}`;

/** The keys of outputs by amount and number, to begin with our own: a number has one key in all rings, or it is a lie. */
function knownKeys(inputs: readonly OwnedInput[]): Map<string, string> {
  return new Map(
    inputs.flatMap(({ output: { amount, globalIndex, key } }) =>
      globalIndex === undefined ? [] : [[placeOf(amount, globalIndex), key] as const],
    ),
  );
}

function others({ output }: OwnedInput, { outputs }: DecoySet, known: Map<string, string>): RingMember[] {
  const indexes = new Set<number>(output.globalIndex === undefined ? [] : [output.globalIndex]);
  const keys = new Set<string>([output.key]);
  const members: RingMember[] = [];
  for (const { globalIndex, key: text } of outputs) {
    const index = Number(globalIndex);
    const key = fromHex(text, 32);
    if (key === undefined || !Number.isInteger(index) || index < 0 || index > LARGEST_INDEX) continue;
    if (indexes.has(index) || keys.has(toHex(key)) || !checkKey(key)) continue;
    const place = placeOf(output.amount, index);
    if ((known.get(place) ?? toHex(key)) !== toHex(key)) continue;
    known.set(place, toHex(key));
    indexes.add(index);
    keys.add(toHex(key));
    members.push({ index, key });
  }
  return members;
}

/** @throws WalletError 31 when our own output has no number */
function ringOf(input: OwnedInput, decoys: readonly RingMember[]): Ring {
  const { globalIndex, key } = input.output;
  if (globalIndex === undefined) throw failures.missingGlobalIndex();
  const own: RingMember = { index: globalIndex, key: Buffer.from(key, 'hex') };
  const members = [own, ...decoys].sort((a, b) => a.index - b.index);
  return { input, members, real: members.indexOf(own) };
}

/** The offsets of a ring as they stand in an input: each from the one before. */
export function offsetsOf({ members }: Ring): number[] {
  return members.map(({ index }, i) => index - (members[i - 1]?.index ?? 0));
}
