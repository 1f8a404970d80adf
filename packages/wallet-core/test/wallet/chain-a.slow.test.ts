import { CHAIN_A_HEIGHT } from '@wrkz/testing';
import { FILES, OWN, testFile, testRestored, testScanHeights, testView, waysTo } from './support/chain-a-tests';

/* Every wallet of chain A. */

FILES.forEach(testFile);
for (const name of OWN) {
  for (const by of waysTo(name)) testRestored(name, by);
  testView(name);
}
for (const name of ['dave', 'carol']) testScanHeights(name, [1, 333, 600, CHAIN_A_HEIGHT]);
