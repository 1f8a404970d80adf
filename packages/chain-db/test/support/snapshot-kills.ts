import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { exportSnapshot, importSnapshot, rulesDigest } from '../../src';
import { chainA } from './chain-a';
import { runProgram } from './child';
import { freshDirectory, openHere, writerOf } from './directories';

const LITE = 600;
/** Milliseconds that an import or export takes on a quiet machine; kills come at any time up to a little more. */
const LENGTH = 1_200;

/** A file and its digest, and what the database of it must say. */
async function snapshot(): Promise<{ path: string; digest: string; source: string; rules: string }> {
  const db = openHere();
  writerOf(db).append(chainA());
  const path = join(freshDirectory(), 'a.litesnap');
  const { digest } = await exportSnapshot({ reader: db.reader, network: 'devnet', liteHeight: LITE, path });
  const lite = openHere({ lite: LITE });
  writerOf(lite).append(chainA().slice(0, LITE));
  return { path, digest: digest.toString('hex'), source: db.directory, rules: rulesDigest(lite.reader) };
}

async function killedAt(program: ReturnType<typeof runProgram>, milliseconds: number): Promise<void> {
  expect(await program.line()).toBe('open');
  await new Promise((go) => setTimeout(go, milliseconds));
  program.process.kill('SIGKILL');
  await program.ended;
}

/**
 * Kills an import at each of these shares of its length: there is no database then, or all of it, and an import without a kill
 * makes it. @returns how many of the kills came before the end
 */
export async function killImport(moments: readonly number[]): Promise<number> {
  const { path, digest, rules } = await snapshot();
  let unfinished = 0;
  for (const moment of moments) {
    const directory = freshDirectory();
    await killedAt(runProgram('import-snapshot.ts', path, directory, String(LITE), digest), moment * LENGTH);
    if (!existsSync(join(directory, 'chain.sqlite'))) {
      unfinished++;
      await importSnapshot({ path, directory, network: 'devnet', liteHeight: LITE, accepted: [digest] });
    }
    const db = openHere({ directory, lite: LITE });
    expect(db.reader.height()).toBe(LITE - 1);
    expect(rulesDigest(db.reader)).toBe(rules);
    db.close();
  }
  return unfinished;
}

/** The same for an export: the file is not there, or all of it, and the next export leaves nothing else behind. */
export async function killExport(moments: readonly number[]): Promise<number> {
  const { path: whole, source } = await snapshot();
  let unfinished = 0;
  for (const moment of moments) {
    const folder = freshDirectory();
    const path = join(folder, 'b.litesnap');
    await killedAt(runProgram('import-snapshot.ts', path, source, String(LITE)), moment * LENGTH);
    const { reader } = openHere({ directory: source, readonly: true });
    const again = (): Promise<unknown> => exportSnapshot({ reader, network: 'devnet', liteHeight: LITE, path });
    if (existsSync(path)) await expect(again()).rejects.toThrow('already exists');
    else {
      unfinished++;
      await again();
    }
    expect(readFileSync(path)).toEqual(readFileSync(whole));
    expect(readdirSync(folder)).toEqual(['b.litesnap']);
  }
  return unfinished;
}
