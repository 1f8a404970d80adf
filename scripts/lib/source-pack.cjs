'use strict';

/**
 * Runs an entry of the suite from one text that holds all of its imports. The text is made by `make-source-pack.mjs` when
 * there is none yet or one of its sources is another than then (by size and time of change).
 */
const { execFileSync } = require('node:child_process');
const { createHash } = require('node:crypto');
const { readFileSync, statSync } = require('node:fs');
const { SourceMap } = require('node:module');
const { dirname, join, sep } = require('node:path');
const vm = require('node:vm');

const top = dirname(dirname(__dirname));
const kept = join(top, 'node_modules/.cache/source-packs');
const maker = join(__dirname, 'make-source-pack.mjs');

/**
 * @param {NodeModule} module of the entry
 * @param {string} file its path
 * @returns {boolean} false, and nothing was run, for an entry outside the suite, or one that cannot be packed here
 */
exports.runPack = function runPack(module, file) {
  if (!file.startsWith(top + sep) || file.includes(`${sep}node_modules${sep}`)) return false;
  const name = join(kept, createHash('sha256').update(file).digest('hex').slice(0, 32));
  const pack = freshPack(name) ?? madePack(name, file);
  if (pack === undefined) return false;
  tellSources(`${name}.js`, `${name}.map`);
  const wrapped = vm.compileFunction(pack.text, ['exports', 'require', 'module', '__filename', '__dirname'], {
    filename: `${name}.js`,
  });
  wrapped.call(module.exports, module.exports, module.require.bind(module), module, file, dirname(file));
  return true;
};

/** Undefined where it cannot be made: on a full disk, under a limit, of a source with an error. */
function madePack(name, file) {
  // without the options and preloaded modules of this process, which may be made to hang or to die
  const env = { ...process.env };
  delete env['NODE_OPTIONS'];
  try {
    execFileSync(process.execPath, [maker, file, name], { env, stdio: 'ignore' });
  } catch {
    return undefined;
  }
  return freshPack(name);
}

/** The pack, unless it is not there, half there, or of other sources. */
function freshPack(name) {
  try {
    const { inputs, digest } = JSON.parse(readFileSync(`${name}.json`, 'utf8'));
    for (const [path, size, changed] of inputs) {
      const now = statSync(path);
      if (now.size !== size || now.mtimeMs !== changed) return undefined;
    }
    // what was put in place by two makers at once need not belong together
    const text = readFileSync(`${name}.js`, 'utf8');
    return createHash('sha256').update(text).digest('hex') === digest ? { text } : undefined;
  } catch {
    return undefined;
  }
}

/** Lets the stacks of errors name the sources, whose places are looked up when somebody reads one. */
function tellSources(packed, mapPath) {
  let map;
  Error.prepareStackTrace = (error, frames) => {
    const lines = frames.map((frame) => {
      const line = String(frame);
      if (frame.getFileName() !== packed) return line;
      map ??= new SourceMap(JSON.parse(readFileSync(mapPath, 'utf8')));
      const at = map.findEntry(frame.getLineNumber() - 1, frame.getColumnNumber() - 1);
      if (at.originalSource === undefined) return line;
      const place = `${join(dirname(mapPath), at.originalSource)}:${at.originalLine + 1}:${at.originalColumn + 1}`;
      return line.replace(/[^ (]+:\d+:\d+(?=\)?$)/, place);
    });
    return [String(error), ...lines].join('\n    at ');
  };
}
