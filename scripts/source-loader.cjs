'use strict';

/**
 * Runs TypeScript sources without a build: `node -r ./scripts/source-loader.cjs apps/daemon/src/main.ts`. A package of
 * the suite is taken from what its `exports` name under `@wrkz/source`; the importing file's package must declare it.
 * For tests and development; needs the development dependencies.
 */
const Module = require('node:module');
const { dirname, join } = require('node:path');

require('esbuild-register/dist/node').register({ target: 'node20' });

const CONDITION = '@wrkz/source';

const resolve = Module._resolveFilename;
Module._resolveFilename = function (request, ...rest) {
  const name = /^(@wrkz\/[\w-]+)(\/.+)?$/.exec(request);
  if (name) {
    const description = resolve.call(this, `${name[1]}/package.json`, ...rest);
    const source = require(description).exports?.[`.${name[2] ?? ''}`]?.[CONDITION];
    if (source) return join(dirname(description), source);
  }
  return resolve.call(this, request, ...rest);
};
