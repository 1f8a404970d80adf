/**
 * `npm run build:executables`: makes release/ with the six programs as single files that need no Node.js, their SHA-256
 * sums, a software bill of materials and the licences of what is inside. `-- wrkz-daemon ...` makes only those. With WRKZ_RELEASE_KEY the sums are signed.
 */
import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { bootstrap } from '../scripts/bootstrap.mjs';
import { assemble } from './executables/assemble.mjs';
import { bundle } from './executables/bundle.mjs';
import { nativeFiles, sqliteFolder, stripped } from './executables/materials.mjs';
import { NODE_MAJOR, programs } from './executables/programs.mjs';
import { writeBill } from './executables/bill.mjs';
import { writeLicenses } from './executables/licenses.mjs';
import { signSums, writeSums } from './executables/sums.mjs';
import { Failure, main } from '../scripts/lib/run.mjs';
import { nodeOf } from '../scripts/lib/nodes.mjs';
import { top } from '../scripts/lib/workspace.mjs';

const release = join(top, 'release');
const workshop = join(top, '.bootstrap', 'executables');

await main(async () => {
  const asked = process.argv.slice(2);
  const unknown = asked.find((name) => !programs.some((program) => program.name === name));
  if (unknown !== undefined) throw new Failure(`${unknown} is none of ${programs.map(({ name }) => name).join(', ')}`);
  await bootstrap();
  const node = nodeOf(NODE_MAJOR);
  const sqlite = sqliteFolder();
  rmSync(workshop, { recursive: true, force: true });
  // What an earlier build has left must not get into the sums.
  if (asked.length === 0) rmSync(release, { recursive: true, force: true });
  for (const folder of [workshop, release]) mkdirSync(folder, { recursive: true });
  const base = stripped(node.program, join(workshop, 'node'));
  const materials = { node: node.program, base, files: nativeFiles(sqlite), workshop, release };
  const made = [];
  for (const { name, folder } of programs) {
    if (asked.length > 0 && !asked.includes(name)) continue;
    const program = { name, folder, ...(await bundle({ folder }, sqlite)) };
    assemble(program, materials);
    made.push(program);
    process.stdout.write(`${name}: ${program.parts.length} parts, ${program.inputs.length} modules\n`);
  }
  writeBill(join(release, 'sbom.cdx.json'), made, node);
  writeLicenses(join(release, 'THIRD-PARTY-LICENSES.txt'), made, node);
  writeSums(release);
  signSums(release, process.env.WRKZ_RELEASE_KEY);
  rmSync(workshop, { recursive: true, force: true });
});
