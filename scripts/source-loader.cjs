'use strict';

/**
 * Runs TypeScript sources without a build, through tsx: `node -r ./scripts/source-loader.cjs bench/rpc.bench.ts`. A package
 * of the suite is resolved to its source, which its `exports` name under the condition `@wrkz/source`.
 */
const Module = require('node:module');
const { dirname, join } = require('node:path');

require('tsx/cjs');

const resolve = Module._resolveFilename;
Module._resolveFilename = function (request, ...rest) {
  const name = /^(@wrkz\/[\w-]+)(\/.+)?$/.exec(request);
  if (name) {
    const manifest = resolve.call(this, `${name[1]}/package.json`, ...rest);
    const source = require(manifest).exports?.[`.${name[2] ?? ''}`]?.['@wrkz/source'];
    if (source) return join(dirname(manifest), source);
  }
  return resolve.call(this, request, ...rest);
};
