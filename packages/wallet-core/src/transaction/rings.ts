import { fromHex, toHex } from '@wrkz/core-types';
import { checkKey } from '@wrkz/crypto';
import { missingGlobalIndex, walletError, type WalletError } from '../errors';
import type { OwnedInput } from './coin-selection';
import type { DecoySet, SendContext, SendNode } from './model';
import { mapYielding } from './yielding';

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
/** With a single own output of an amount, an empty set of the node may be honest: there may be no other one. */
const MIN_OWN_OUTPUTS = 2;

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

export interface RingPorts {
  readonly node: SendNode;
  /** The ring of an earlier transaction with this key image. */
  readonly ringOf: SendContext['ringOf'];
  /** How many unlocked outputs of an amount the wallet has itself: a node that offers far fewer is faulty. */
  readonly ownOutputs: (amount: bigint) => number;
}

/**
 * The rings of some inputs, of `mixin` decoys each. A ring that an earlier transaction showed for the input is used again,
 * so that two transactions do not reveal the real member. Decoys of the node are checked: own outputs, duplicates,
 * indexes beyond 32 bits and keys that are no points are dropped, and the members are ordered here
 * (docs/protocol/wallet.md#decoys).
 * @throws TooFewDecoys; WalletError daemonOffline, daemonError, notEnoughFakeOutputs
 */
export async function makeRings(
  inputs: readonly OwnedInput[],
  mixin: number,
  { node, ringOf, ownOutputs }: RingPorts,
): Promise<Ring[]> {
  if (mixin === 0) return inputs.map((input) => ringOfMembers(input, []));
  const known = knownKeys(inputs);
  const stored = inputs.map(({ output }) => storedDecoys(output, ringOf, known).slice(0, mixin));
  const lacking = inputs.filter((_, i) => (stored[i] as RingMember[]).length < mixin);
  for (;;) {
    const draw = await drawDecoys(lacking, mixin, node, known);
    for (const [i, input] of inputs.entries()) {
      const own = stored[i] as RingMember[];
      const fresh = (draw.decoys.get(input) ?? []).filter(({ index }) => own.every((member) => member.index !== index));
      stored[i] = [...own, ...fresh].slice(0, mixin);
    }
    const fewest = indexOfFewest(stored);
    const found = (stored[fewest] as RingMember[]).length;
    if (draw.shortage === undefined && found >= mixin) break;
    const { amount } = (inputs[fewest] as OwnedInput).output;
    const expected = Math.min(mixin + 1, ownOutputs(amount));
    const offered = draw.offered.get(amount) ?? 0;
    const isFaulty =
      draw.shortage === undefined
        ? expected >= MIN_OWN_OUTPUTS && 2 * offered < expected
        : lacking.every(({ output }) => ownOutputs(output.amount) > mixin);
    if (isFaulty) {
      const reason = `offers ${offered} outputs of amount ${amount}, of which this wallet has ${expected} itself`;
      if (await node.reportFaulty(reason)) continue;
      throw walletError.notEnoughFakeOutputs(amount, expected, offered);
    }
    if (draw.shortage !== undefined) throw draw.shortage;
    const amounts = inputs.map(({ output }) => output.amount);
    const rare = amounts.filter((_, i) => (stored[i] as RingMember[]).length < mixin);
    throw new TooFewDecoys(found, walletError.notEnoughFakeOutputs(amount, mixin, found), amounts, rare);
  }
  return inputs.map((input, i) => ringOfMembers(input, stored[i] as RingMember[]));
}

interface Draw {
  readonly decoys: ReadonlyMap<OwnedInput, readonly RingMember[]>;
  /** Distinct outputs in the node's sets, by amount, own outputs included. */
  readonly offered: ReadonlyMap<bigint, number>;
  /** The node refused, or left out an amount. */
  readonly shortage: TooFewDecoys | undefined;
}

/** Queries the node once for all inputs. @throws WalletError daemonOffline */
async function drawDecoys(
  inputs: readonly OwnedInput[],
  mixin: number,
  node: SendNode,
  known: Map<string, string>,
): Promise<Draw> {
  const decoys = new Map<OwnedInput, readonly RingMember[]>();
  const offered = new Map<bigint, number>();
  const draw = (shortage?: TooFewDecoys): Draw => ({ decoys, offered, shortage });
  if (inputs.length === 0) return draw();
  const amounts = inputs.map(({ output }) => output.amount);
  const result = await node.randomOuts(amounts, mixin + 1);
  if (result.kind === 'unavailable') throw walletError.daemonOffline();
  if (result.kind === 'tooFew') return draw(new TooFewDecoys(0, walletError.notEnoughFakeOutputs(), amounts));
  const sets = setsOf(inputs, result.sets);
  if (sets instanceof TooFewDecoys) return draw(sets);
  await mapYielding(inputs, (input, i) => {
    const set = sets[i] as DecoySet;
    decoys.set(input, others(input, set, known));
    const distinct = new Set(set.outputs.map(({ globalIndex }) => Number(globalIndex))).size;
    offered.set(set.amount, Math.max(distinct, offered.get(set.amount) ?? 0));
  });
  return draw();
}

function indexOfFewest(lists: readonly (readonly unknown[])[]): number {
  return lists.reduce((fewest, list, i) => (list.length < (lists[fewest]?.length ?? 0) ? i : fewest), 0);
}

/** The decoys of a stored ring; the real member is left out, and whatever contradicts a known key. */
function storedDecoys(
  output: OwnedInput['output'],
  ringOf: SendContext['ringOf'],
  known: Map<string, string>,
): RingMember[] {
  if (output.keyImage === undefined) return [];
  return (ringOf(output.keyImage) ?? []).flatMap(({ index, key }) => {
    if (key === output.key || index === output.globalIndex) return [];
    const place = placeOf(output.amount, index);
    if ((known.get(place) ?? key) !== key) return [];
    known.set(place, key);
    return [{ index, key: Buffer.from(key, 'hex') }];
  });
}

/** The set of each input by amount: a node that mixes up their order is understood. */
function setsOf(inputs: readonly OwnedInput[], sets: readonly DecoySet[]): DecoySet[] | TooFewDecoys {
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
  if (first !== undefined)
    return new TooFewDecoys(0, walletError.notEnoughFakeOutputs(first, 0, undefined), amounts, missing);
  if (sets.length !== inputs.length) return new TooFewDecoys(0, walletError.notEnoughFakeOutputs(), amounts, []);
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
function ringOfMembers(input: OwnedInput, decoys: readonly RingMember[]): Ring {
  const { globalIndex, key } = input.output;
  if (globalIndex === undefined) throw missingGlobalIndex();
  const own: RingMember = { index: globalIndex, key: Buffer.from(key, 'hex') };
  const members = [own, ...decoys].sort((a, b) => a.index - b.index);
  return { input, members, real: members.indexOf(own) };
}

/** The offsets of a ring as they stand in an input: each from the one before. */
export function offsetsOf({ members }: Ring): number[] {
  return members.map(({ index }, i) => index - (members[i - 1]?.index ?? 0));
}
