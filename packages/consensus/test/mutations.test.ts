import fc from 'fast-check';
import {
  RuleFailure,
  VerifiedBlock,
  checkBlock,
  parseBlockOrRefuse,
  parseTransactionsOrRefuse,
  type BranchView,
} from '@wrkz/consensus';
import { blockAt, branchTo, contextOn } from './chain-a';

/*
 * Blocks and transactions with changed, inserted or removed bytes are accepted or refused: no content may throw.
 */

/** Heights of blocks with transactions under different rules. */
const HEIGHTS = [50, 95, 130, 160, 431, 720];
let branches: Map<number, BranchView>;
beforeAll(() => {
  branches = new Map(HEIGHTS.map((height) => [height, branchTo(height - 1)]));
});

/** Position as a fraction of the length, kind (0 replace, 1 insert, 2 remove), and the new byte. */
const edits = fc.array(
  fc.record({
    at: fc.double({ min: 0, max: 0.999, noNaN: true }),
    kind: fc.integer({ min: 0, max: 2 }),
    byte: fc.nat(255),
  }),
  { minLength: 1, maxLength: 3 },
);
type Edits = typeof edits extends fc.Arbitrary<infer T> ? T : never;

function edited(bytes: Buffer, list: Edits): Buffer {
  return list.reduce((now, { at, kind, byte }) => {
    const place = Math.floor(at * now.length);
    const cut = kind === 1 ? 0 : 1;
    return Buffer.concat([now.subarray(0, place), Buffer.from(kind === 2 ? [] : [byte]), now.subarray(place + cut)]);
  }, bytes);
}

async function verdict(height: number, block: Buffer, transactions: readonly Buffer[]): Promise<unknown> {
  const parsed = parseBlockOrRefuse(block);
  if (parsed instanceof RuleFailure) return parsed;
  const list = parseTransactionsOrRefuse(transactions);
  return list instanceof RuleFailure ? list : checkBlock(parsed, list, contextOn(branches.get(height)!));
}

test.each(['block', 'transaction'] as const)('a changed %s is accepted or refused', async (which) => {
  await fc.assert(
    fc.asyncProperty(fc.constantFrom(...HEIGHTS), edits, fc.nat(), async (height, list, pick) => {
      const { block, transactions } = blockAt(height);
      const raws = transactions.map((one) => one.bytes);
      const place = pick % raws.length;
      const result =
        which === 'block'
          ? await verdict(height, edited(block.bytes, list), raws)
          : await verdict(
              height,
              block.bytes,
              raws.map((raw, i) => (i === place ? edited(raw, list) : raw)),
            );
      const unchanged = which === 'transaction' && edited(raws[place]!, list).equals(raws[place]!);
      expect(result instanceof RuleFailure || result instanceof VerifiedBlock).toBe(true);
      // A changed block may still meet the difficulty of devnet; a transaction must equal the listed one.
      if (which === 'transaction') expect(result instanceof VerifiedBlock).toBe(unchanged);
    }),
    { numRuns: 250 },
  );
});
