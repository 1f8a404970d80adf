import type { VerifiedBlock } from '@wrkz/consensus';
import fc from 'fast-check';
import type { ChainDb } from '../../src';
import { writerOf } from './directories';
import { HIGHEST_MADE, makeChain, type BlockPlan } from './maker';

/** One change of a chain. */
export type Step =
  | { readonly kind: 'append'; readonly blocks: readonly BlockPlan[] }
  | { readonly kind: 'rewind'; readonly depth: number }
  | { readonly kind: 'switch'; readonly depth: number; readonly blocks: readonly BlockPlan[]; readonly keep: boolean };

const transactionPlan = fc.record({
  amounts: fc.array(fc.constantFrom(1, 2, 10, 500, 12_345), { maxLength: 5 }),
  inputs: fc.integer({ min: 1, max: 4 }),
  paymentId: fc.option(fc.integer({ min: 0, max: 2 }), { nil: undefined }),
});
const blockPlan = fc.record({
  salt: fc.integer({ min: 0, max: 2 ** 32 - 1 }),
  transactions: fc.array(transactionPlan, { maxLength: 3 }),
});
const blocks = fc.array(blockPlan, { minLength: 1, maxLength: 4 });
export const step: fc.Arbitrary<Step> = fc.oneof(
  fc.record({ kind: fc.constant('append' as const), blocks }),
  fc.record({ kind: fc.constant('rewind' as const), depth: fc.integer({ min: 0, max: 6 }) }),
  fc.record({
    kind: fc.constant('switch' as const),
    depth: fc.integer({ min: 1, max: 6 }),
    blocks,
    keep: fc.boolean(),
  }),
);

/** Height of the last block that a change retains. */
export function forkOf(chain: readonly VerifiedBlock[], next: Step): number {
  return next.kind === 'append' ? chain.length - 1 : Math.max(0, chain.length - 1 - next.depth);
}

/** Applies a change to the database. @returns the chain after the same change */
export function apply(db: ChainDb, chain: VerifiedBlock[], next: Step): VerifiedBlock[] {
  const writer = writerOf(db);
  if (next.kind === 'append') {
    const added = makeChain(next.blocks.slice(0, Math.max(0, HIGHEST_MADE - chain.length)), chain);
    writer.append(added);
    return [...chain, ...added];
  }
  const fork = forkOf(chain, next);
  const kept = chain.slice(0, fork + 1);
  if (next.kind === 'rewind') {
    const removed = writer.rewindTo(fork);
    expect(removed.map(({ facts }) => facts)).toEqual(chain.slice(fork + 1).map(({ facts }) => facts));
    return kept;
  }
  const added = makeChain(next.blocks.slice(0, Math.max(0, HIGHEST_MADE - kept.length)), kept);
  writer.switchBranch(fork, added, next.keep);
  return [...kept, ...added];
}
