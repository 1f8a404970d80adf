import { createRequire } from 'node:module';
import { join } from 'node:path';
import { bootstrap } from '../bootstrap.mjs';
import { main } from './run.mjs';
import { top } from './workspace.mjs';

/** Brings the workspace up to date and becomes the program of a compiled file, named from the top. */
export async function startProgram(file) {
  let ready = false;
  await main(async () => {
    await bootstrap();
    ready = true;
  });
  if (!ready) return;
  // In this process, so that signals and the exit code are those of the program.
  const entry = join(top, file);
  process.argv = [process.execPath, entry, ...process.argv.slice(2)];
  createRequire(entry)(entry);
}
