/** `npm start [-- options]`: brings the workspace up to date and becomes the daemon. */
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { bootstrap } from './bootstrap.mjs';
import { main } from './lib/run.mjs';
import { top } from './lib/workspace.mjs';

let ready = false;
await main(async () => {
  await bootstrap();
  ready = true;
});

if (ready) {
  // in this very process, so that signals and the exit code are the daemon's own
  const entry = join(top, 'apps/daemon/dist/main.js');
  process.argv = [process.execPath, entry, ...process.argv.slice(2)];
  createRequire(entry)(entry);
}
