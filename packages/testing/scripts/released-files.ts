import { existsSync, mkdirSync, rmSync } from 'node:fs';
import { fixturePath } from '../src';
import { writeRelease } from '../test/support/released-files/release';

/* `npm run released-files -- <version> [--replace]`: writes fixtures/released/<version> with the present formats. */

async function main([version = '', ...options]: readonly string[]): Promise<void> {
  if (!/^\d+\.\d+\.\d+$/.test(version)) throw new Error('Usage: npm run released-files -- <version> [--replace]');
  const folder = fixturePath(`released/${version}`);
  if (existsSync(folder)) {
    const hint = 'Files of a release never change. If this version is not released yet, add --replace.';
    if (!options.includes('--replace')) throw new Error(`${folder} exists already. ${hint}`);
    rmSync(folder, { recursive: true });
  }
  mkdirSync(folder, { recursive: true });
  await writeRelease(folder);
  process.stdout.write(`Written: ${folder}\n`);
}

main(process.argv.slice(2)).catch((error: unknown) => {
  process.stderr.write(`${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`);
  process.exitCode = 1;
});
