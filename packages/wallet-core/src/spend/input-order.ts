import type { OwnedInput } from './spendable';

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
export function* inRounds(inputs: Iterable<OwnedInput>): Generator<OwnedInput> {
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
