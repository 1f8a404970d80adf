import { type ChainDb, verifyChain } from '../../src';
import { chainA } from './chain-a';
import { type Child, runProgram } from './child';
import { freshDirectory, openHere, writerOf } from './directories';
import { pruneTo } from './modes';
import { fingerprint } from './tables';

/**
 * Starts `write.ts` and kills it, once per entry of `commits`: after this number of commits and, with `random`, a random
 * time later. The database must be intact and hold a committed chain.
 */
export async function killWriter(
  runs: 'usual' | 'small',
  commits: readonly number[],
  { random, lite }: { random?: () => number; lite?: number } = {},
): Promise<void> {
  const directory = freshDirectory();
  const blocks = chainA();
  for (const count of commits) {
    const child = runProgram('write.ts', directory, runs, ...(lite === undefined ? [] : [String(lite)]));
    expect(await child.line()).toBe('open');
    let printed = 0;
    for (let i = 0; i < count; i++) printed = Number(await child.line());
    await killed(child, random);

    const db = openHere({ directory, lite });
    const { height, ...report } = await verifyChain(db);
    expect(report.problems).toEqual([]);
    expect(height).toBeGreaterThanOrEqual(Math.min(printed, 200));
    const twin = openHere({ lite });
    writerOf(twin).append(blocks.slice(0, height + 1));
    expect({ height, ...report }).toEqual(await verifyChain(twin));
    twin.close();
    db.close();
  }
}

/**
 * The same for `prune.ts`: after a kill the database equals one after a clean stop, and the next run continues with it.
 * After a run that reaches the top, the next one starts in a new folder.
 * @returns the number of kills during pruning
 */
export async function killPruner(commits: readonly number[], random?: () => number): Promise<number> {
  let directory = freshDirectory();
  let midway = 0;
  for (const count of commits) {
    const child = runProgram('prune.ts', directory);
    expect(await child.line()).toBe('open');
    let printed: number[] = [];
    for (let i = 0; i < count; i++) {
      const line = await child.line();
      if (line === 'top') break;
      printed = line.split(' ').map(Number);
    }
    await killed(child, random);

    const db = openHere({ directory });
    const { bodies } = db.reader.floors();
    expect(db.reader.height()).toBeGreaterThanOrEqual(printed[0] ?? -1);
    expect(bodies).toBeGreaterThanOrEqual(printed[1] ?? 0);
    if (bodies > 0 && bodies % 60 !== 0) midway++;
    await expectPruned(db, bodies);
    if (db.reader.height() + 1 === chainA().length) directory = freshDirectory();
    db.close();
  }
  return midway;
}

async function expectPruned(db: ChainDb, floor: number): Promise<void> {
  const { height, problems, rulesDigest } = await verifyChain(db);
  expect(problems).toEqual([]);
  const twin = openHere();
  if (height >= 0) writerOf(twin).append(chainA().slice(0, height + 1));
  expect(rulesDigest).toBe((await verifyChain(twin)).rulesDigest);
  pruneTo(twin, floor);
  expect(fingerprint(db)).toEqual(fingerprint(twin));
  twin.close();
}

async function killed(child: Child, random?: () => number): Promise<void> {
  if (random !== undefined) await new Promise((go) => setTimeout(go, random() * 50));
  child.process.kill('SIGKILL');
  expect(await child.ended).toBe('SIGKILL');
}
