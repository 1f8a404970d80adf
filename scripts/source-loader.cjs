'use strict';

/**
 * Runs TypeScript sources without a build: `node -r ./scripts/source-loader.cjs apps/daemon/src/main.ts`.
 * `@wrkz/<name>` is taken from the package's sources. For tests and development; needs the development dependencies.
 */
const Module = require('node:module');
const { existsSync } = require('node:fs');
const { join } = require('node:path');

const top = join(__dirname, '..');
require('esbuild-register/dist/node').register({ target: 'node20' });

const resolve = Module._resolveFilename;
Module._resolveFilename = function (request, ...rest) {
  const name = /^@wrkz\/([\w-]+)(\/fixtures)?$/.exec(request);
  if (name) {
    for (const room of ['packages', 'apps']) {
      const source = join(top, room, name[1], 'src', name[2] ? 'fixtures.ts' : 'index.ts');
      if (existsSync(source)) return source;
    }
  }
  return resolve.call(this, request, ...rest);
};
