import { BranchView, genesisView, minTimestamp, median, type BlockFacts, type ChainView } from '@wrkz/consensus';
import { blockAt, branchTo, chainA, contextOn, devnet, stageGood } from './chain-a';

const whole = branchTo(720);

test('block facts and windows include genesis', () => {
  expect(whole.height).toBe(720);
  expect(whole.facts(0).generatedCoins).toBe(1_500_000_000_000n);
  for (const [end, count] of [
    [720, 100],
    [720, 721],
    [720, 1000],
    [300, 100],
    [50, 100],
    [0, 1],
    [719, 1],
  ] as const) {
    const heights = whole.window(end, count).map((block) => block.height);
    const start = Math.max(0, end - count + 1);
    expect(heights).toEqual(Array.from({ length: end - start + 1 }, (_, i) => start + i));
  }
  expect(() => whole.facts(721)).toThrow(RangeError);
});

test('the minimum timestamp includes genesis and requires a full window', () => {
  expect(minTimestamp(branchTo(9), 9, 11)).toBeUndefined();
  const view = branchTo(10);
  const times = Array.from({ length: 11 }, (_, i) => Number(blockAt(i).block.block.timestamp));
  expect(minTimestamp(view, 10, 11)).toBe(median(times));
});

test('a branch on a branch returns the same as one chain', () => {
  const base = branchTo(500);
  const upper = new BranchView(base);
  for (let height = 501; height <= 720; height++) upper.push(stageGood(blockAt(height), contextOn(upper)));
  expect(upper.facts(720)).toEqual(whole.facts(720));
  expect(upper.window(550, 100)).toEqual(whole.window(550, 100));
  expect(upper.window(720, 300)).toEqual(whole.window(720, 300));
  expect(upper.window(400, 10)).toEqual(whole.window(400, 10));
  const amounts = new Set(chainA().flatMap(({ block }) => block.block.coinbase.outputs.map((output) => output.amount)));
  for (const amount of amounts) {
    const count = whole.outputCount(amount);
    expect(upper.outputCount(amount)).toBe(count);
    for (const index of [0, count >> 1, count - 1, count])
      expect(upper.output(amount, index)).toEqual(whole.output(amount, index));
  }
  for (const { transactions } of chainA()) {
    for (const transaction of transactions) {
      expect(upper.hasTransaction(transaction.hash)).toBe(true);
      for (const input of transaction.transaction.inputs) {
        if (input.type === 'key')
          expect(upper.keyImageHeight(input.keyImage)).toBe(whole.keyImageHeight(input.keyImage));
      }
    }
  }
});

test('a base that contains the lowest blocks of the branch can replace the old base', () => {
  const view = new BranchView(branchTo(600));
  for (let height = 601; height <= 720; height++) view.push(stageGood(blockAt(height), contextOn(view)));
  view.rebase(branchTo(650));
  expect([view.height, view.baseHeight]).toEqual([720, 650]);
  expect(view.facts(720)).toEqual(whole.facts(720));
  expect(view.window(720, 120)).toEqual(whole.window(720, 120));
  expect(view.outputCount(1_000_000n)).toBe(whole.outputCount(1_000_000n));
  view.rebase(branchTo(720));
  expect([view.height, view.baseHeight]).toEqual([720, 720]);
  expect(view.outputCount(1_000_000n)).toBe(whole.outputCount(1_000_000n));
  expect(() => view.rebase(branchTo(719))).toThrow(RangeError);
});

test('a base of the same height can replace the old one', () => {
  const view = new BranchView(branchTo(600));
  view.rebase(branchTo(600));
  expect([view.height, view.baseHeight]).toEqual([600, 600]);
});

test.each([
  ['lower', branchTo(599)],
  ['higher', branchTo(602)],
])('a base that is %s than the branch is refused', (_, base) => {
  const view = new BranchView(branchTo(600));
  view.push(stageGood(blockAt(601), contextOn(view)));
  expect(() => view.rebase(base)).toThrow('the new base is not a part of this branch');
});

test('a block that does not follow the tip is refused', () => {
  const staged = stageGood(blockAt(1), contextOn(new BranchView(genesisView(devnet))));
  expect(() => whole.push(staged)).toThrow('block 1 does not follow the tip of the branch, 720');
  expect(whole.height).toBe(720);
});

describe('a branch on a base that counts its reads', () => {
  const hashAt = (height: number): Buffer => Buffer.alloc(32, height.toString());
  const factsAt = (height: number) => ({ height, hash: hashAt(height) }) as BlockFacts;
  /** A chain of this height; `asked` records the requested heights. */
  function counted(height: number): { base: ChainView; requested: number[] } {
    const requested: number[] = [];
    const base = {
      height,
      facts: (at: number) => {
        requested.push(at);
        if (at > height) throw new Error('the base has no such block');
        return factsAt(at);
      },
      window: (end: number, count: number) => {
        if (count <= 0) throw new Error('no blocks were requested');
        const start = Math.max(0, end - count + 1);
        return Array.from({ length: end - start + 1 }, (_, i) => factsAt(start + i)).filter((facts) => {
          requested.push(facts.height);
          return facts.height <= height;
        });
      },
      outputCount: () => 0,
      keyImageHeight: () => undefined,
      output: () => undefined,
    };
    return { base, requested };
  }
  const empty = (height: number, parent = height - 1) => ({
    facts: factsAt(height),
    block: {
      block: { previousHash: hashAt(parent) },
      coinbase: { hash: hashAt(height), transaction: { inputs: [], outputs: [], unlockTime: 0n } },
    } as never,
    transactions: [],
  });
  /** A branch of this number of blocks on a base of height 300. */
  function grown(blocks: number): { view: BranchView; requested: number[] } {
    const { base, requested } = counted(300);
    const view = new BranchView(base);
    requested.length = 0;
    for (let height = 301; height <= 300 + blocks; height++) view.push(empty(height));
    return { view, requested };
  }
  const heights = (all: readonly BlockFacts[]): number[] => all.map(({ height }) => height);
  const range = (from: number, to: number): number[] => Array.from({ length: to - from + 1 }, (_, i) => from + i);

  test('caches the last hundred blocks of its base', () => {
    const { view, requested } = grown(3);
    expect(view.facts(201).height).toBe(201);
    expect(heights(view.window(303, 100))).toEqual(range(204, 303));
    expect(heights(view.window(303, 103))).toEqual(range(201, 303));
    expect(requested).toEqual([]);
    expect(view.facts(200).height).toBe(200);
    expect(requested).toEqual([200]);
  });

  test('serves all its own blocks without its base, and reads lower ones from it', () => {
    const { view, requested } = grown(900);
    expect([301, 350, 1200].map((height) => view.facts(height).height)).toEqual([301, 350, 1200]);
    expect(heights(view.window(350, 20))).toEqual(range(331, 350));
    expect(heights(view.window(1200, 900))).toEqual(range(301, 1200));
    expect(requested).toEqual([]);
    expect(heights(view.window(310, 20))).toEqual(range(291, 310));
    expect(heights(view.window(305, 1000))).toEqual(range(0, 305));
    expect(heights(view.window(299, 2))).toEqual([298, 299]);
    expect(() => view.facts(1201)).toThrow('no block 1201 on a branch of height 1200');
  });

  test('does not cache without limit what its base contains', () => {
    const { view } = grown(900);
    const { base, requested } = counted(1200);
    view.rebase(base);
    requested.length = 0;
    expect(view.facts(700).height).toBe(700);
    expect(view.facts(1150).height).toBe(1150);
    expect(requested).toEqual([700]);
  });

  test('accepts a block only on its own parent, at its own height', () => {
    const { view } = grown(1);
    expect(() => view.push(empty(302, 299))).toThrow('block 302 does not follow the tip of the branch, 301');
    expect(() => view.push(empty(303, 301))).toThrow('block 303 does not follow the tip of the branch, 301');
    view.push(empty(302));
    expect(view.height).toBe(302);
  });

  test('finds its own transactions, on a base without any', () => {
    const { view } = grown(1);
    expect(view.hasTransaction(hashAt(301))).toBe(true);
    expect(view.hasTransaction(hashAt(7))).toBe(false);
  });
});
