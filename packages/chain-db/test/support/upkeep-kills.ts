import { verifyChain } from '../../src';
import { leaveEmptyPages } from './bulk';
import { chainA } from './chain-a';
import { runProgram } from './child';
import { openHere, writerOf } from './directories';

const MIB = 1024 * 1024;

/** Kills a program this many milliseconds after its first line. @returns whether it had printed its last line */
async function killedAfter(milliseconds: number, last: string, name: string, ...args: string[]): Promise<boolean> {
  const child = runProgram(name, ...args);
  expect(await child.line()).toBe('open');
  let over = false;
  const reading = (async () => {
    while ((await child.line()) !== last);
    over = true;
  })().catch(() => undefined);
  await new Promise((go) => setTimeout(go, milliseconds));
  child.process.kill('SIGKILL');
  await child.ended;
  await reading;
  return over;
}

/**
 * Kills a rewind of chain A after each of these times. The chain must be intact, at its old or its new height; then the
 * removed blocks are appended again. @returns the number of kills before the commit
 */
export async function killRewinds(moments: readonly number[], to = 330): Promise<number> {
  const blocks = chainA();
  const twin = openHere();
  writerOf(twin).append(blocks);
  const whole = await verifyChain(twin);
  writerOf(twin).rewindTo(to);
  const lower = await verifyChain(twin);
  const { directory } = twin;
  let undone = 0;
  twin.close();
  for (const moment of moments) {
    const before = openHere({ directory });
    writerOf(before).append(blocks.slice(before.reader.height() + 1));
    before.close();
    await killedAfter(moment, 'done', 'rewind.ts', directory, String(to));
    const db = openHere({ directory });
    if (db.reader.height() !== to) undone++;
    expect(await verifyChain(db)).toEqual(db.reader.height() === to ? lower : whole);
    db.close();
  }
  return undone;
}

/**
 * Kills a compaction, between whose steps blocks are appended, after each of these times; the next start continues it.
 * @returns the number of kills before its end
 */
export async function killCompactions(moments: readonly number[], begin = 300): Promise<number> {
  const blocks = chainA();
  const fresh = (): string => {
    const db = openHere();
    writerOf(db).append(blocks.slice(0, begin));
    leaveEmptyPages(db, 24 * MIB);
    db.close();
    return db.directory;
  };
  let underWay = 0;
  let directory = fresh();
  for (const moment of moments) {
    const over = await killedAfter(moment, 'done', 'compact.ts', directory);
    const db = openHere({ directory });
    const height = db.reader.height();
    const twin = openHere();
    writerOf(twin).append(blocks.slice(0, height + 1));
    expect(await verifyChain(db)).toEqual(await verifyChain(twin));
    twin.close();
    const { pages, emptyPages } = db.reader.fileSpace();
    if (over) expect(emptyPages).toBeLessThanOrEqual(Math.floor(pages / 32) + 1);
    else underWay++;
    db.close();
    if (over || height + 1 === blocks.length) directory = fresh();
  }
  return underWay;
}
