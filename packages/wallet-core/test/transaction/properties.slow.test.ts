import fc from 'fast-check';
import { anySend, checkSend } from './check-send';
import { devnet } from './support';

test('at every height of devnet the pool and the next block accept any send', async () => {
  for (let height = 1; height <= 720; height++) {
    const [any] = fc.sample(anySend, { seed: height, numRuns: 1 });
    await checkSend(devnet, height, any!).catch((error: unknown) => {
      throw new Error(`height ${height}`, { cause: error });
    });
  }
});
