import fc from 'fast-check';
import { checkKey } from '@wrkz/crypto';
import { makeRings, offsetsOf, TooFewDecoys } from '../../src/transaction/rings';
import type { DecoySet } from '../../src/transaction/model';
import { alice, FakeNode, outputFor, subWalletOf, ringSources } from './support';
import { walletErrorRows } from '../../src/errors';

/* For any response of a node, the result is rings that a pool accepts, or an error. */

const owner = subWalletOf(alice, []);
const AMOUNTS = [7_000n, 50_000n, 50_000n, 900_000n];
const inputs = AMOUNTS.map((amount, i) => ({ output: outputFor(alice, amount, { globalIndex: 20 + 10 * i }), owner }));
const points = Array.from({ length: 24 }, () => outputFor(alice, 1n).key);

const index = fc.oneof(
  { weight: 8, arbitrary: fc.integer({ min: 0, max: 60 }) },
  { weight: 1, arbitrary: fc.constantFrom(-1, 0.5, 2 ** 32, 2 ** 32 - 1, 2n ** 64n - 1n, Number.NaN, Infinity) },
);
const key = fc.oneof(
  { weight: 8, arbitrary: fc.constantFrom(...points) },
  { weight: 1, arbitrary: fc.constantFrom(...inputs.map(({ output }) => output.key)) },
  { weight: 1, arbitrary: fc.constantFrom('', '00', '02' + '00'.repeat(31), 'ff'.repeat(32), 'zz'.repeat(32)) },
);
const outputs = fc.array(fc.record({ globalIndex: index, key }), { maxLength: 14 });
const nodeResponse = fc.record({
  lists: fc.tuple(outputs, outputs, outputs, outputs),
  order: fc.shuffledSubarray([0, 1, 2, 3], { minLength: 4 }),
  /** A wrong amount, a missing or a surplus set. */
  fault: fc.constantFrom('none', 'none', 'none', 'amount', 'fewer', 'more'),
});

function setsOf({ lists, order, fault }: typeof nodeResponse extends fc.Arbitrary<infer T> ? T : never): DecoySet[] {
  const sets = order.map((i): DecoySet => ({ amount: AMOUNTS[i]!, outputs: lists[i]! }));
  if (fault === 'amount') sets[0] = { ...sets[0]!, amount: sets[0]!.amount + 1n };
  if (fault === 'fewer') sets.pop();
  if (fault === 'more') sets.push(sets[0]!);
  return sets;
}

test('a ring has its size and order, distinct members, and the own output once', async () => {
  let [made, refused] = [0, 0];
  await fc.assert(
    fc.asyncProperty(nodeResponse, fc.integer({ min: 1, max: 4 }), async (response, mixin) => {
      const node = new FakeNode(() => ({ kind: 'outs', sets: setsOf(response) }));
      const rings = await makeRings(inputs, mixin, ringSources(node)).catch((error: unknown) => error);
      if (!Array.isArray(rings)) {
        refused++;
        expect(rings).toBeInstanceOf(TooFewDecoys);
        expect(rings).toMatchObject({ failure: { code: walletErrorRows.notEnoughFakeOutputs.code } });
        expect((rings as TooFewDecoys).achievable).toBeLessThan(mixin);
        return;
      }
      made++;
      expect(response.fault).toBe('none');
      const known = new Map<string, string>();
      for (const [i, ring] of (rings as Awaited<ReturnType<typeof makeRings>>).entries()) {
        const { output } = inputs[i]!;
        const numbers = ring.members.map((member) => member.index);
        const keys = ring.members.map((member) => member.key);
        expect(numbers).toHaveLength(mixin + 1);
        expect(
          offsetsOf(ring)
            .slice(1)
            .every((offset) => offset > 0),
        ).toBe(true);
        expect(numbers.every((n) => Number.isInteger(n) && n >= 0 && n < 2 ** 32)).toBe(true);
        expect(new Set(keys).size).toBe(mixin + 1);
        expect(ring.members.every((member) => checkKey(Buffer.from(member.key, 'hex')))).toBe(true);
        expect([numbers[ring.real], keys[ring.real]]).toEqual([output.globalIndex, output.key]);
        for (const [place, number] of numbers.entries()) {
          const name = `${String(output.amount)} ${String(number)}`;
          expect(known.get(name) ?? keys[place]).toBe(keys[place]);
          known.set(name, keys[place]!);
        }
      }
    }),
    { numRuns: 600 },
  );
  // Both outcomes occurred.
  expect(Math.min(made, refused)).toBeGreaterThan(30);
});
