import { verifyChain } from '../../src';
import { chainA } from './chain-a';
import { runProgram } from './child';
import { freshDirectory, openHere, writerOf } from './directories';

/**
 * Starts the writing program and kills it, once for each number: after so many commits and, where `random` is given, at a
 * random moment after that. Whatever it left must be sound and hold a chain that was committed.
 */
export async function killWriter(
  runs: 'usual' | 'small',
  commits: readonly number[],
  random?: () => number,
): Promise<void> {
  const directory = freshDirectory();
  const blocks = chainA();
  for (const count of commits) {
    const child = runProgram('write.ts', directory, runs);
    expect(await child.line()).toBe('open');
    let printed = 0;
    for (let i = 0; i < count; i++) printed = Number(await child.line());
    if (random !== undefined) await new Promise((go) => setTimeout(go, random() * 50));
    child.process.kill('SIGKILL');
    expect(await child.ended).toBe('SIGKILL');

    const db = openHere({ directory });
    const { height, problems, digest } = await verifyChain(db);
    expect(problems).toEqual([]);
    expect(height).toBeGreaterThanOrEqual(Math.min(printed, 200));
    const twin = openHere();
    writerOf(twin).append(blocks.slice(0, height + 1));
    expect(digest).toBe((await verifyChain(twin)).digest);
    twin.close();
    db.close();
  }
}
