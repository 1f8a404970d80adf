import { walletError } from '../../src';
import { TooFewDecoys, withRingFallback } from '../../src/transaction/rings';
import { SendTerms } from '../../src/transaction/terms';
import { devnet } from './support';

const HEIGHTS = Array.from({ length: 500 }, (_, height) => height);

test('the ring sizes at every height are accepted by the pool and by the next block', () => {
  for (const height of HEIGHTS) {
    const { mixin, defaultMixin } = new SendTerms(devnet, height, height);
    for (const { min, max } of [devnet.rulesAt(height).mixin, devnet.rulesAt(height + 1).mixin]) {
      const isAccepted = [mixin.min, mixin.max, defaultMixin].every((size) => min <= size && size <= max);
      expect({ height, isAccepted }).toEqual({ height, isAccepted: true });
    }
  }
});

test('the ring-size fallback stops at the minimum of the next block', async () => {
  const height = HEIGHTS.find((at) => devnet.rulesAt(at).mixin.min < devnet.rulesAt(at + 1).mixin.min)!;
  const tried: number[] = [];
  const attempt = (mixin: number): Promise<never> => {
    tried.push(mixin);
    return Promise.reject(new TooFewDecoys(0, walletError.notEnoughBalance(), []));
  };
  const settings = { mixin: 3, terms: new SendTerms(devnet, height, height), ringFallback: true };
  await expect(withRingFallback(settings, attempt)).rejects.toBeInstanceOf(TooFewDecoys);
  expect(tried.at(-1)).toBe(devnet.rulesAt(height + 1).mixin.min);
});
