'use strict';

/**
 * Runs TypeScript sources without a build: `node -r ./scripts/source-loader.cjs apps/daemon/src/main.ts`. A package of
 * the suite is taken from what its `exports` name under `@wrkz/source`; the importing file's package must declare it.
 * For tests and development; needs the development dependencies.
 *
 * What a process or thread of the suite begins with is packed with all that it imports (`source-pack`), since a test
 * run starts hundreds of them over the same thousand files. Other sources are compiled one by one, and what becomes of
 * them is kept by its content below node_modules.
 */
const { createHash } = require('node:crypto');
const { mkdirSync, readFileSync, renameSync, writeFileSync } = require('node:fs');
const Module = require('node:module');
const { basename, dirname, join } = require('node:path');
const { runPack } = require('./lib/source-pack.cjs');

const CONDITION = '@wrkz/source';
const OPTIONS = { loader: 'ts', format: 'cjs', target: 'node20', sourcemap: 'inline' };
const kept = join(dirname(__dirname), 'node_modules/.cache/source-loader');

Module._extensions['.ts'] = function (module, file) {
  const isEntry = module.id === '.';
  if (isEntry && runPack(module, file)) return;
  process.setSourceMapsEnabled(true);
  const source = readFileSync(file, 'utf8');
  module._compile(compiled(source, file), file);
};

function compiled(source, file) {
  // The map names its source beside the compiled text, which stands in for the same file.
  const options = { ...OPTIONS, sourcefile: basename(file) };
  const name = join(
    kept,
    createHash('sha256')
      .update(`${JSON.stringify(options)}\0${source}`)
      .digest('hex'),
  );
  try {
    return readFileSync(name, 'utf8');
  } catch {
    const { code } = require('esbuild').transformSync(source, options);
    mkdirSync(kept, { recursive: true });
    // Another process may write the same one: each makes its own file and puts it in place whole.
    const unfinished = `${name}.${process.pid}.${require('node:worker_threads').threadId}`;
    writeFileSync(unfinished, code);
    renameSync(unfinished, name);
    return code;
  }
}

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
