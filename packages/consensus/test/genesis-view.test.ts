import { genesisView, median } from '@wrkz/consensus';
import { blockAt, devnet } from './chain-a';

const view = genesisView(devnet);
const { coinbase } = blockAt(0).block.block;

test('a chain of genesis alone has its block and no other', () => {
  expect(view.height).toBe(0);
  expect(view.facts(0)).toMatchObject({ height: 0, hash: blockAt(0).block.hash });
  expect(() => view.facts(1)).toThrow('no block 1 on a chain of height 0');
  expect([view.window(0, 1), view.window(0, 9)].map((window) => window.length)).toEqual([1, 1]);
  expect([view.window(0, 0), view.window(-1, 5), view.window(1, 1)]).toEqual([[], [], []]);
});

test('it has the outputs of its coinbase, by amount', () => {
  const { amount, key } = coinbase.outputs[0]!;
  const same = coinbase.outputs.filter((output) => output.amount === amount);
  expect(view.outputCount(amount)).toBe(same.length);
  expect(view.output(amount, 0)).toEqual({ key, unlockTime: coinbase.unlockTime, height: 0 });
  expect(view.output(amount, same.length)).toBeUndefined();
  expect([view.outputCount(amount + 1n), view.output(amount + 1n, 0)]).toEqual([0, undefined]);
});

test('it contains its coinbase and no spent key image', () => {
  const view = genesisView(devnet);
  expect(view.hasTransaction?.(blockAt(0).block.coinbase.hash)).toBe(true);
  expect(view.hasTransaction?.(Buffer.alloc(32))).toBe(false);
  expect(view.keyImageHeight(Buffer.alloc(32))).toBeUndefined();
});

test('the median of an empty list is 0', () => expect(median([])).toBe(0));
