import type { VerifiedBlock } from '@wrkz/consensus';
import { verifyChain } from '../../src';
import { leaveEmptyPages } from './bulk';
import { runProgram } from './child';
import { openHere, writerOf } from './directories';

const MIB = 1024 * 1024;

/**
 * Rewrites a database that is open here by another process, which is killed so many milliseconds after it began; then blocks
 * are appended, and all must be sound. At the end one comes to its end.
 */
export async function killRewrites(chain: readonly VerifiedBlock[], moments: readonly number[]): Promise<void> {
  const twin = openHere();
  writerOf(twin).append(chain);
  const wanted = (await verifyChain(twin)).digest;
  const db = openHere();
  writerOf(db).append(chain);
  leaveEmptyPages(db, 4 * MIB);
  for (const moment of moments) {
    const child = runProgram('rewrite.ts', db.directory);
    expect(await child.line()).toBe('begin');
    await new Promise((go) => setTimeout(go, moment));
    child.process.kill('SIGKILL');
    expect(await child.ended).toBe('SIGKILL');
    writerOf(db).rewindTo(chain.length - 3);
    writerOf(db).append(chain.slice(-2));
    const { problems, digest } = await verifyChain(db);
    expect({ problems, digest }).toEqual({ problems: [], digest: wanted });
  }
  await wholeRewrite(db.directory);
  db.rewritten();
  expect(db.reader.fileSpace().emptyPages).toBe(0);
  expect(db.cutLog()).toBe(true);
  db.close();
  const again = openHere({ directory: db.directory });
  expect(again.opening.cleanStop).toBe(true);
  expect((await verifyChain(again)).digest).toBe(wanted);
  again.close();
}

async function wholeRewrite(directory: string): Promise<void> {
  const child = runProgram('rewrite.ts', directory);
  expect([await child.line(), await child.line()]).toEqual(['begin', 'done']);
  await child.ended;
}
