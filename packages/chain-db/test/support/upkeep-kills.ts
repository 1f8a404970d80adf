import { cpSync } from 'node:fs';
import { verifyChain } from '../../src';
import { leaveEmptyPages } from './bulk';
import { chainA } from './chain-a';
import { runProgram } from './child';
import { freshDirectory, openHere, writerOf } from './directories';
import { makeFirstDatabase } from './first-schema';
import { makeSecondDatabase } from './second-schema';
import { fingerprint } from './tables';

const MIB = 1024 * 1024;

/** Kills a program so many milliseconds after its first line. @returns whether it had come to its end */
async function killedAfter(milliseconds: number, last: string, name: string, ...args: string[]): Promise<boolean> {
  const child = runProgram(name, ...args);
  expect(await child.line()).toMatch(/^(begin|open)$/);
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
 * Opens a database of the first or the second schema in a program that is killed at each of these moments, each start going on
 * with what the kill before left, until one is through: the database must then be what would be written today.
 * @returns how many kills came in the middle
 */
export async function killMigrations(
  schema: 'first' | 'second',
  moments: readonly number[],
  blocks = chainA(),
): Promise<number> {
  const old = freshDirectory();
  (schema === 'first' ? makeFirstDatabase : makeSecondDatabase)(old, blocks);
  const twin = openHere();
  writerOf(twin).append(blocks);
  const wanted = { print: fingerprint(twin), report: await verifyChain(twin) };
  const copy = (): string => {
    const directory = freshDirectory();
    cpSync(old, directory, { recursive: true });
    return directory;
  };
  let middle = 0;
  let directory = copy();
  const expectWhole = async (): Promise<void> => {
    const db = openHere({ directory });
    expect({ print: fingerprint(db), report: await verifyChain(db) }).toEqual(wanted);
    db.close();
  };
  for (const moment of moments) {
    if (!(await killedAfter(moment, 'open', 'migrate.ts', directory, 'go'))) {
      middle++;
      continue;
    }
    await expectWhole();
    directory = copy();
  }
  await expectWhole();
  return middle;
}

/**
 * Kills a rewind of chain A at each of these moments: the chain stands at one of the two heights and is sound, and what was
 * taken back is appended again. @returns how many kills met one that had not been committed
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
 * Kills steps of a compaction, between which blocks are appended, at each of these moments; the next start goes on.
 * @returns how many kills met it under way
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
