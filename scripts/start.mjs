/**
 * `node scripts/start.mjs <file> [options]`: updates the workspace, then becomes the program of a compiled file or of a
 * TypeScript source, named from the top.
 */
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { bootstrap } from './bootstrap.mjs';
import { main } from './lib/run.mjs';
import { top } from './lib/workspace.mjs';

const [file, ...options] = process.argv.slice(2);
await main(bootstrap);
// In this process: signals and the exit code are those of the program.
if (process.exitCode === 0) {
  const require = createRequire(import.meta.url);
  const entry = join(top, file);
  process.argv = [process.execPath, entry, ...options];
  if (file.endsWith('.ts')) require('./source-loader.cjs');
  require(entry);
}
