/** `npm run build:deb [-- <version>]`: builds a Debian package of each executable of release/ in release/debian/. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { command, Failure, main } from '../scripts/lib/run.mjs';
import { top } from '../scripts/lib/workspace.mjs';
import { buildPackage } from './debian/package.mjs';
import { programs, release } from './programs.mjs';

await main(() => {
  if (!existsSync(join(release, 'SHA256SUMS'))) throw new Failure('run npm run build:executables first');
  const version = process.argv[2] ?? command(join(release, 'wrkz-daemon'), ['--version']).trim().split(' ')[1];
  const options = { version, work: join(top, '.bootstrap/debian'), target: join(release, 'debian') };
  for (const program of programs) process.stdout.write(`${buildPackage(program, options)}\n`);
});
