/**
 * `npm run test:executables`: runs every program of `release/` from an empty folder with an empty environment: the daemon
 * imports and syncs a chain, the wallets open, the helper solves, the proposals serve, the miner finds blocks; SIGTERM ends
 * each with 0. Builds them first where one is missing; `--build` does so in any case.
 */
import { existsSync, mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { performance } from 'node:perf_hooks';
import { Failure, main, run } from '../scripts/lib/run.mjs';
import { readManifest, top } from '../scripts/lib/workspace.mjs';
import { programs } from './executables/programs.mjs';
import { checkPapers, checkSignature } from './executables/papers.mjs';
import { Stage } from './executables/scenes.mjs';

const release = join(top, 'release');

await main(async () => {
  const missing =
    !existsSync(join(release, 'SHA256SUMS')) || programs.some(({ name }) => !existsSync(join(release, name)));
  if (missing || process.argv.includes('--build')) {
    const code = await run(process.execPath, ['packaging/build-executables.mjs']);
    if (code !== 0) return code;
  }
  const nativesIn = mkdtempSync(join(tmpdir(), 'wrkz-natives-'));
  const stage = new Stage(release, nativesIn);
  try {
    process.stdout.write(`${checkPapers(release)}\n`);
    if (existsSync('/usr/bin/gpg')) process.stdout.write(`${checkSignature()}\n`);
    await versions(stage);
    for (const scene of [
      'daemons',
      'walletApi',
      'walletRpc',
      'helper',
      'proposals',
      'miner',
      'changedFiles',
      'badDisks',
    ]) {
      const begun = performance.now();
      const result = await stage[scene]();
      process.stdout.write(`${scene}: ${result} (${((performance.now() - begun) / 1000).toFixed(1)} s)\n`);
    }
    await stage.stopAll();
    process.stdout.write('every service ended by SIGTERM with code 0\n');
  } finally {
    for (const { child } of stage.running) child.kill('SIGKILL');
    rmSync(nativesIn, { recursive: true, force: true });
  }
  return 0;
});

async function versions(stage) {
  const said = new Set();
  for (const { name } of programs) {
    const begun = performance.now();
    const text = (await stage.start(name, ['--version']).done()).trim();
    const first = performance.now() - begun;
    said.add(text.replace(name, '').trim());
    const again = performance.now();
    await stage.start(name, ['--version']).done();
    const { size } = statSync(join(release, name));
    process.stdout.write(
      `${text}: ${(size / 1024 / 1024).toFixed(0)} MiB, first start ${(first / 1000).toFixed(2)} s, later ` +
        `${((performance.now() - again) / 1000).toFixed(2)} s\n`,
    );
  }
  const { version } = readManifest('.');
  if (said.size !== 1 || ![...said][0].startsWith(version))
    throw new Failure(`versions differ: ${[...said].join(', ')}`);
}
