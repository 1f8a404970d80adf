import { makeCoinbaseChain } from './support/coinbase-chain';
import { cleanUp } from './support/directories';
import { killRewrites } from './support/rewrite-kills';

afterEach(cleanUp);

test('a hundred kills of a rewrite', async () => {
  const moments = Array.from({ length: 100 }, (_, i) => (i * 37) % 60);
  await killRewrites(makeCoinbaseChain(40), moments);
}, 3_600_000);
