/**
 * `npm run prebuild`: builds the native module for this platform into native/prebuilds, where node-gyp-build finds it on
 * machines without a compiler. Builds in a folder of its own, which leaves the present build, and tests the result.
 */
import { cpSync, mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { main, run } from '../scripts/lib/run.mjs';
import { NATIVE_SOURCES, nativeBuildEnvironment, requireCompilers } from '../scripts/lib/toolchain.mjs';
import { bootstrap } from '../scripts/bootstrap.mjs';
import { tool, top } from '../scripts/lib/workspace.mjs';

const native = join(top, 'native');
const work = join(native, 'build', 'prebuild');

/** Computes a known hash with the prebuild; PREBUILDS_ONLY excludes the present build. */
const TEST = `
  const addon = require('node-gyp-build')(${JSON.stringify(native)});
  const hash = addon.cnFastHash(Buffer.alloc(0), Buffer.alloc(32)).toString('hex');
  process.exit(hash.startsWith('c5d2460186f7233c927e7db2dcc703c0') ? 0 : 1);
`;

await main(async () => {
  requireCompilers();
  await bootstrap();
  rmSync(work, { recursive: true, force: true });
  mkdirSync(work, { recursive: true });
  for (const part of NATIVE_SOURCES) {
    cpSync(join(native, part), join(work, part), { recursive: true });
  }
  await run(process.execPath, [tool('prebuildify/bin.js'), '--napi', '--strip', `--out=${native}`], {
    cwd: work,
    env: { ...nativeBuildEnvironment(), PREBUILD_NODE_GYP: tool('.bin/node-gyp') },
    quiet: true,
    failure: 'the prebuild failed',
  });
  rmSync(work, { recursive: true, force: true });
  await run(process.execPath, ['-e', TEST], {
    cwd: native,
    env: { PREBUILDS_ONLY: '1' },
    failure: 'the prebuilt module does not load or computes a wrong hash',
  });
  process.stdout.write(`prebuilt for ${process.platform}-${process.arch} in native/prebuilds\n`);
});
