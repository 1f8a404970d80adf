/**
 * `npm run prebuild`: builds the native module for this platform into native/prebuilds, where node-gyp-build finds it on
 * machines without a compiler. It builds in a folder of its own, so the working build stays, and tries the result.
 */
import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { Failure, main, run } from '../scripts/lib/run.mjs';
import { nativeBuildEnvironment, requireCompilers } from '../scripts/lib/toolchain.mjs';
import { bootstrap } from '../scripts/bootstrap.mjs';
import { tool, top } from '../scripts/lib/workspace.mjs';

const native = join(top, 'native');
const workshop = join(native, 'build', 'prebuild');

/** Loads the prebuild alone, without the working build, and computes one known hash with it. */
const TRIAL = `
  const addon = require('node-gyp-build')(${JSON.stringify(native)});
  const hash = addon.cnFastHash(Buffer.alloc(0), Buffer.alloc(32)).toString('hex');
  process.exit(hash.startsWith('c5d2460186f7233c927e7db2dcc703c0') ? 0 : 1);
`;

await main(async () => {
  requireCompilers();
  await bootstrap();
  rmSync(workshop, { recursive: true, force: true });
  mkdirSync(workshop, { recursive: true });
  for (const part of ['binding.gyp', 'package.json', 'sqlite-headers.cjs', 'src']) {
    cpSync(join(native, part), join(workshop, part), { recursive: true });
  }
  const code = await run(process.execPath, [tool('prebuildify/bin.js'), '--napi', '--strip', `--out=${native}`], {
    cwd: workshop,
    env: { ...nativeBuildEnvironment(), PREBUILD_NODE_GYP: tool('.bin/node-gyp') },
    quiet: true,
  });
  rmSync(workshop, { recursive: true, force: true });
  if (code !== 0) throw new Failure(`the prebuild failed with exit code ${code}`);
  const trial = spawnSync(process.execPath, ['-e', TRIAL], {
    cwd: native,
    env: { ...process.env, PREBUILDS_ONLY: '1' },
    stdio: 'inherit',
  });
  if (trial.status !== 0) throw new Failure('the prebuilt module does not load or computes a wrong hash');
  process.stdout.write(`prebuilt for ${process.platform}-${process.arch} in native/prebuilds\n`);
});
