import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { exportSnapshot, importSnapshot, rulesDigest } from '../../src';
import { chainA } from './chain-a';
import { runProgram } from './child';
import { freshDirectory, openHere, writerOf } from './directories';

const LITE = 600;
/** Milliseconds of an import or export on an idle machine. Kills are at shares of this time. */
const LENGTH = 1_200;

/** A snapshot file with its digest, the folder of its source, and the rules digest of the imported database. */
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
 * Kills an import at each of these shares of its duration. The database must be absent or complete; if absent, another
 * import creates it. @returns the number of kills before the end of the import
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

/** The same for an export: the file must be absent or complete, and the next export removes all work files. */
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
