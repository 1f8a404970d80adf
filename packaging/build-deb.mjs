/** `npm run build:deb [-- <version>]`: makes release/debian/ with a Debian package of each executable in release/. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { buildPackage, packages } from './debian/package.mjs';
import { command } from './executables/materials.mjs';
import { Failure, main } from '../scripts/lib/run.mjs';
import { top } from '../scripts/lib/workspace.mjs';

await main(() => {
  const release = join(top, 'release');
  if (!existsSync(join(release, 'SHA256SUMS'))) throw new Failure('npm run build:executables comes first');
  const own = () => command(join(release, 'wrkz-daemon'), ['--version']).trim().split(' ')[1];
  const version = process.argv[2] ?? own();
  const where = { release, version, workshop: join(top, '.bootstrap/debian'), target: join(release, 'debian') };
  for (const what of packages) process.stdout.write(`${buildPackage(what, where)}\n`);
});
