/**
 * `npm run test:executables [-- <folder>]`: each file of release/ does its work out of an empty folder, with an empty
 * environment, so that there is no Node.js to be found: the daemon imports chain A and another one gets it from there, a
 * wallet is opened, a balance asked for, a proof of work solved, a page served, a block found. SIGTERM ends each with 0.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { programs } from './executables/programs.mjs';
import { Trial } from './executables/trial.mjs';
import { main } from './lib/run.mjs';
import { top } from './lib/workspace.mjs';

await main(async () => {
  const folder = mkdtempSync(join(tmpdir(), 'wrkz-executables-'));
  const trial = new Trial(resolve(process.argv[2] ?? join(top, 'release')), folder);
  try {
    await trial.versions(programs);
    const { feeder, node } = await trial.nodes();
    await trial.walletApi(node);
    await trial.walletRpc(node);
    await trial.miner(node);
    await trial.told(node);
    await node.started.stops();
    await feeder.started.stops();
    await trial.offline(node);
    await trial.helper();
    await trial.proposals();
    for (const [name, size, time] of trial.rows) {
      process.stdout.write(
        `${name.padEnd(16)} ${size.toFixed(1).padStart(6)} MiB  ${time.toFixed(0).padStart(6)} ms\n`,
      );
    }
  } finally {
    trial.kill();
    rmSync(folder, { recursive: true, force: true });
  }
});
