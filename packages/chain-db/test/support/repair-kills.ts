import { verifyChain } from '../../src';
import { runProgram } from './child';
import { copyOf, flip } from './repairs';

/**
 * Damages a copy of a database, starts a repair and kills it, once per entry of `lines`: after this number of lines and, with
 * `random`, a random time later. Each repair starts with the files that the previous kill has left; the last one completes.
 * After a kill the folder must have the damaged database or the repaired one.
 */
export async function killRepairs(
  sound: string,
  bit: number,
  lines: readonly number[],
  random?: () => number,
): Promise<number> {
  const wanted = await verifyChain({ directory: sound, network: 'devnet' });
  let swapped = 0;
  let directory = copyOf(sound);
  flip(directory, bit);
  const damaged = await verifyChain({ directory, network: 'devnet' });
  expect(damaged.problems).not.toEqual([]);
  for (const count of lines) {
    const child = runProgram('repair.ts', directory);
    let isOver = false;
    for (let i = 0; i < count && !isOver; i++)
      isOver = ['rebuilt', 'pages repaired', 'sound'].includes(await child.line());
    if (random !== undefined) await new Promise((go) => setTimeout(go, random() * 200));
    child.process.kill('SIGKILL');
    await child.ended;
    const found = await verifyChain({ directory, network: 'devnet' });
    if (found.problems.length === 0) {
      expect(found).toEqual(wanted);
      swapped++;
      directory = copyOf(sound);
      flip(directory, bit);
    } else {
      expect(found).toEqual(damaged);
    }
  }
  const child = runProgram('repair.ts', directory);
  expect(await child.ended).toBe(0);
  expect(await verifyChain({ directory, network: 'devnet' })).toEqual(wanted);
  return swapped;
}
