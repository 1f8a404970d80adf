import { cleanUp } from './support/directories';
import { killWriter } from './support/kills';

afterEach(cleanUp);

test('killed in mid-write it comes up sound, at a height that was committed', async () => {
  await killWriter('usual', [1, 7, 25]);
}, 60_000);

test('killed while look-ups are merged it comes up sound, and the merge goes on', async () => {
  await killWriter('small', [3, 30, 11]);
}, 60_000);
