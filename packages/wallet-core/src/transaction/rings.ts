import { fromHex, toHex } from '@wrkz/core-types';
import { checkKey } from '@wrkz/crypto';
import { groupBy, mapInSlices } from '@wrkz/service-kit/base';
import { missingGlobalIndex, walletError, type WalletError } from '../errors';
import type { SendSettings } from './check-request';
import type { OwnedInput } from './coin-selection';
import type { DecoySet, RingMember, SendContext, SendNode } from './model';

export interface Ring {
  readonly input: OwnedInput;
  /** Own output and decoys, ascending by global index. */
  readonly members: readonly RingMember[];
  /** Index of the own output in `members`. */
  readonly real: number;
}

const MAX_GLOBAL_INDEX = 0xffff_ffff;
/** With only one own output of an amount, an empty set of the node may be correct: no other output may exist. */
const MIN_OWN_OUTPUTS = 2;

/** The node has too few decoys for some amount. A smaller ring may be possible. */
export class TooFewDecoys extends Error {
  override readonly name = 'TooFewDecoys';

  constructor(
    /** The largest mixin for which the returned decoys suffice; 0 if unknown. */
    readonly achievable: number,
    /** The error for the client if the send fails because of this. */
    readonly failure: WalletError,
    readonly amounts: readonly bigint[],
    /** The amounts with too few decoys; undefined if the node does not report them. */
    readonly rare?: readonly bigint[],
  ) {
    super(failure.message);
  }
}

export interface RingDependencies {
  readonly node: SendNode;
  readonly ringOf: SendContext['ringOf'];
  /** Returns the number of own unlocked outputs with an amount. A node that returns far fewer outputs is faulty. */
  readonly ownOutputs: (amount: bigint) => number;
}

/**
 * Draws the rings of the inputs with `mixin` decoys each. Decoys of an earlier transaction are reused, because two different
 * rings with the same key image would reveal the real member. The decoys of the node are untrusted: own outputs, duplicates,
 * indexes above 32 bits and keys that are not points are dropped (docs/protocol/wallet.md#decoys).
 * @throws TooFewDecoys; WalletError daemonOffline, daemonError (no global index), notEnoughFakeOutputs
 */
export async function makeRings(
  inputs: readonly OwnedInput[],
  mixin: number,
  { node, ringOf, ownOutputs }: RingDependencies,
): Promise<Ring[]> {
  if (mixin === 0) return inputs.map((input) => ringOfMembers(input, []));
  const known = knownKeys(inputs);
  const decoys = inputs.map(({ output }) => storedDecoys(output, ringOf, known).slice(0, mixin));
  const lacking = inputs.filter((_, i) => (decoys[i] as RingMember[]).length < mixin);
  for (;;) {
    const draw = await drawDecoys(lacking, mixin, node, known);
    for (const [i, input] of inputs.entries()) {
      const own = decoys[i] as RingMember[];
      const fresh = (draw.decoys.get(input) ?? []).filter(({ index }) => own.every((member) => member.index !== index));
      decoys[i] = [...own, ...fresh].slice(0, mixin);
    }
    const fewest = indexOfFewest(decoys);
    const found = (decoys[fewest] as RingMember[]).length;
    if (draw.shortage === undefined && found >= mixin) break;
    const { amount } = (inputs[fewest] as OwnedInput).output;
    const expected = Math.min(mixin + 1, ownOutputs(amount));
    const offered = draw.offered.get(amount) ?? 0;
    const isFaulty =
      draw.shortage === undefined
        ? expected >= MIN_OWN_OUTPUTS && 2 * offered < expected
        : lacking.every(({ output }) => ownOutputs(output.amount) > mixin);
    if (isFaulty) {
      const reason = `returned ${offered} outputs of amount ${amount}, although this wallet alone has ${expected}`;
      if (await node.reportFaulty(reason)) continue;
      throw walletError.notEnoughFakeOutputs(amount, expected, offered);
    }
    if (draw.shortage !== undefined) throw draw.shortage;
    const amounts = inputs.map(({ output }) => output.amount);
    const rare = amounts.filter((_, i) => (decoys[i] as RingMember[]).length < mixin);
    throw new TooFewDecoys(found, walletError.notEnoughFakeOutputs(amount, mixin, found), amounts, rare);
  }
  return inputs.map((input, i) => ringOfMembers(input, decoys[i] as RingMember[]));
}

/** Key offsets of an input: the first global index, then the differences. */
export function offsetsOf({ members }: Ring): number[] {
  return members.map(({ index }, i) => index - (members[i - 1]?.index ?? 0));
}

/**
 * Runs an attempt with the requested ring size. After TooFewDecoys it is repeated with the achievable ring size, and finally
 * with the minimum of the network (docs/protocol/wallet.md#ring-size-fallback).
 * @throws TooFewDecoys when the attempt with the minimum fails too, or `ringFallback` is false
 */
export async function withRingFallback<T>(
  { mixin: requested, terms, ringFallback }: Pick<SendSettings, 'mixin' | 'terms' | 'ringFallback'>,
  attempt: (mixin: number) => Promise<T>,
): Promise<T> {
  const { min } = terms.mixin;
  for (let mixin = requested, isFirst = true; ; isFirst = false) {
    try {
      return await attempt(mixin);
    } catch (error) {
      if (!(error instanceof TooFewDecoys) || mixin <= min || !ringFallback) throw error;
      mixin = isFirst ? Math.max(min, Math.min(error.achievable, mixin - 1)) : min;
    }
  }
}

/**
 * The amounts for which a node has too few decoys. If the node did not report them, a binary search finds them with at most
 * two requests per amount.
 * @returns empty if the node refuses all amounts together but accepts each half
 * @throws WalletError daemonOffline
 */
export async function findRareAmounts(
  shortage: TooFewDecoys,
  mixin: number,
  node: SendNode,
): Promise<readonly bigint[]> {
  return shortage.rare ?? refusedAmounts([...new Set(shortage.amounts)], mixin + 1, node);
}

/** @param amounts amounts that the node refused in one request @param count outputs per amount */
async function refusedAmounts(amounts: readonly bigint[], count: number, node: SendNode): Promise<bigint[]> {
  if (amounts.length <= 1) return [...amounts];
  const middle = Math.ceil(amounts.length / 2);
  const rare: bigint[] = [];
  for (const half of [amounts.slice(0, middle), amounts.slice(middle)]) {
    const result = await node.randomOuts(half, count);
    if (result.kind === 'unavailable') throw walletError.daemonOffline();
    if (result.kind === 'tooFew') rare.push(...(await refusedAmounts(half, count, node)));
  }
  return rare;
}

interface Draw {
  readonly decoys: ReadonlyMap<OwnedInput, readonly RingMember[]>;
  /** Number of distinct outputs in the node's sets by amount, including own outputs. */
  readonly offered: ReadonlyMap<bigint, number>;
  /** Set if the node refused the request or omitted an amount. */
  readonly shortage: TooFewDecoys | undefined;
}

/** Requests the decoys of all inputs in one request. @throws WalletError daemonOffline */
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
  const sets = matchSets(amounts, result.sets);
  if (sets instanceof TooFewDecoys) return draw(sets);
  await mapInSlices(inputs.entries(), ([i, input]) => {
    const set = sets[i] as DecoySet;
    decoys.set(input, validDecoys(input, set, known));
    const distinct = new Set(set.outputs.map(({ globalIndex }) => Number(globalIndex))).size;
    offered.set(set.amount, Math.max(distinct, offered.get(set.amount) ?? 0));
  });
  return draw();
}

function indexOfFewest(lists: readonly (readonly unknown[])[]): number {
  return lists.reduce((fewest, list, i) => (list.length < (lists[fewest]?.length ?? 0) ? i : fewest), 0);
}

/** The decoys of a stored ring, without the real member and without members that contradict a known key. */
function storedDecoys(
  output: OwnedInput['output'],
  ringOf: SendContext['ringOf'],
  known: Map<string, string>,
): RingMember[] {
  if (output.keyImage === undefined) return [];
  return (ringOf(output.keyImage, output.amount) ?? []).filter(({ index, key }) => {
    const isOwn = key === output.key || index === output.globalIndex;
    return !isOwn && isConsistent(known, output.amount, index, key);
  });
}

/** Assigns the sets, which the node may return in any order, to the amounts. */
function matchSets(amounts: readonly bigint[], sets: readonly DecoySet[]): DecoySet[] | TooFewDecoys {
  const byAmount = groupBy(sets, ({ amount }) => amount);
  const matched = amounts.map((amount) => byAmount.get(amount)?.shift());
  const missing = amounts.filter((_, i) => matched[i] === undefined);
  const [first] = missing;
  if (first !== undefined) {
    return new TooFewDecoys(0, walletError.notEnoughFakeOutputs(first, 0, undefined), amounts, missing);
  }
  if (sets.length !== amounts.length) return new TooFewDecoys(0, walletError.notEnoughFakeOutputs(), amounts, []);
  return matched as DecoySet[];
}

const placeOf = (amount: bigint, index: number): string => `${amount} ${index}`;

/** The own keys by amount and global index. Keys of decoys are added when they are accepted. */
function knownKeys(inputs: readonly OwnedInput[]): Map<string, string> {
  return new Map(
    inputs.flatMap(({ output: { amount, globalIndex, key } }) =>
      globalIndex === undefined ? [] : [[placeOf(amount, globalIndex), key] as const],
    ),
  );
}

/** Whether the key of an output equals its key in other rings. If so, the key is added to `known`. @param key hex */
function isConsistent(known: Map<string, string>, amount: bigint, index: number, key: string): boolean {
  const place = placeOf(amount, index);
  if ((known.get(place) ?? key) !== key) return false;
  known.set(place, key);
  return true;
}

function validDecoys({ output }: OwnedInput, { outputs }: DecoySet, known: Map<string, string>): RingMember[] {
  const indexes = new Set<number>(output.globalIndex === undefined ? [] : [output.globalIndex]);
  const keys = new Set<string>([output.key]);
  const members: RingMember[] = [];
  for (const { globalIndex, key: text } of outputs) {
    const index = Number(globalIndex);
    const key = fromHex(text, 32);
    if (key === undefined || !Number.isInteger(index) || index < 0 || index > MAX_GLOBAL_INDEX) continue;
    const hex = toHex(key);
    if (indexes.has(index) || keys.has(hex) || !checkKey(key)) continue;
    if (!isConsistent(known, output.amount, index, hex)) continue;
    indexes.add(index);
    keys.add(hex);
    members.push({ index, key: hex });
  }
  return members;
}

/** @throws WalletError daemonError when the own output has no global index */
function ringOfMembers(input: OwnedInput, decoys: readonly RingMember[]): Ring {
  const { globalIndex, key } = input.output;
  if (globalIndex === undefined) throw missingGlobalIndex();
  const own: RingMember = { index: globalIndex, key };
  const members = [own, ...decoys].sort((a, b) => a.index - b.index);
  return { input, members, real: members.indexOf(own) };
}
