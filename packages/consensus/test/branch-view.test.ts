import { BranchView, genesisView, leastTimestamp, median } from '@wrkz/consensus';
import { blockAt, branchTo, chainA, contextOn, devnet, stageGood } from './chain-a';

const whole = branchTo(720);

test('facts and windows reach down to genesis', () => {
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

test('the least timestamp counts genesis in and waits for a full window', () => {
  expect(leastTimestamp(branchTo(9), 9, 11)).toBeUndefined();
  const view = branchTo(10);
  const times = Array.from({ length: 11 }, (_, i) => Number(blockAt(i).block.block.timestamp));
  expect(leastTimestamp(view, 10, 11)).toBe(median(times));
});

test('a branch on a branch answers as one chain', () => {
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

test('a base that took over the lowest blocks can take their place', () => {
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

test('a block that does not follow is not put on the tip', () => {
  const staged = stageGood(blockAt(1), contextOn(new BranchView(genesisView(devnet))));
  expect(() => whole.push(staged)).toThrow(RangeError);
  expect(whole.height).toBe(720);
});
