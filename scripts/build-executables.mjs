/**
 * `npm run build:executables [-- <name>...]`: the programs as single files that need no Node.js, in `release/`, with their
 * sums and a bill of materials.
 */
import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { bootstrap } from './bootstrap.mjs';
import { nodeOf } from './lib/nodes.mjs';
import { Failure, main } from './lib/run.mjs';
import { top } from './lib/workspace.mjs';
import { makeExecutable } from './executables/make.mjs';
import { programs } from './executables/programs.mjs';
import { writeRelease } from './executables/release.mjs';

const MAJOR = 24;

await main(async () => {
  const names = process.argv.slice(2);
  const unknown = names.find((name) => !programs.some((program) => program.name === name));
  if (unknown !== undefined) throw new Failure(`there is no program ${unknown}`);
  if (process.platform !== 'linux') throw new Failure('executables are made on Linux');
  await bootstrap();
  const node = nodeOf(MAJOR);
  const work = join(top, '.bootstrap', 'executables');
  const release = join(top, 'release');
  mkdirSync(work, { recursive: true });
  if (names.length === 0) rmSync(release, { recursive: true, force: true });
  mkdirSync(release, { recursive: true });
  const made = [];
  for (const program of programs) {
    if (names.length > 0 && !names.includes(program.name)) continue;
    made.push(await makeExecutable({ program, node, work, release }));
  }
  await writeRelease({ release, made, node });
});
