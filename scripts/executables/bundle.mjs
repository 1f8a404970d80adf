import { readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { build } from 'esbuild';
import { Failure } from '../lib/run.mjs';
import { top } from '../lib/workspace.mjs';
import { sqliteEntry } from './natives.mjs';

/*
 * The compiled programs as few files: the main file and each piece of code that runs in a thread or a process of its own, each
 * with all that it imports, under the name that it has in the workspace. So what finds files by their names finds them.
 */

/** How code names a piece that runs apart; see `workerEntry` in packages/service-kit/src/assets.ts. */
const ENTRY =
  /workerEntry\)?\((?:__dirname|`\$\{__dirname\}\/([\w/-]+)`|\(0, \w+\.join\)\(__dirname, ['"]([\w./-]+)['"]\)), ['"]([\w-]+)['"]\)/g;
const ANY_ENTRY = /workerEntry\)?\(/g;
/** Where it is defined, not asked. */
const DEFINITION = 'packages/service-kit/dist/assets.js';

/** Loaded only where they are there. */
const OPTIONAL = ['bufferutil', 'utf-8-validate'];

/**
 * @param main compiled file, named from the top
 * @param out folder that gets the bundles
 * @param work for what has to be fetched
 * @returns {Promise<{files: string[], inputs: string[]}>} bundles, named from `out`, and what is in them, from the top
 */
export async function bundle(main, out, work) {
  const files = [];
  const inputs = new Set();
  const waiting = [main];
  for (let file = waiting.shift(); file !== undefined; file = waiting.shift()) {
    if (files.includes(file)) continue;
    files.push(file);
    for (const input of await bundleOne(file, out, work)) {
      inputs.add(input);
      if (isOurs(join(top, input)) && input !== DEFINITION) waiting.push(...entriesOf(input));
    }
  }
  return { files, inputs: [...inputs].sort() };
}

async function bundleOne(file, out, work) {
  const { metafile } = await build({
    absWorkingDir: top,
    entryPoints: [file],
    outfile: join(out, file),
    bundle: true,
    platform: 'node',
    target: 'node24',
    format: 'cjs',
    metafile: true,
    // Names stay, so that what a program says of a fault can be read.
    minifyWhitespace: true,
    minifySyntax: true,
    legalComments: 'none',
    logLevel: 'error',
    external: OPTIONAL,
    banner: { js: `const suiteFolder = require('node:path').resolve(__dirname, '${relative(dirname(file), '.')}');` },
    plugins: [places(work)],
  });
  return Object.keys(metafile.inputs).map((input) => relative(top, join(top, input.replace(/^[\w-]+:/, ''))));
}

function entriesOf(input) {
  const text = readFileSync(join(top, input), 'utf8');
  const found = [...text.matchAll(ENTRY)].map(([, below = '.', beside = '.', name]) =>
    join(dirname(input), below, beside, `${name}.js`),
  );
  if ([...text.matchAll(ANY_ENTRY)].length !== found.length)
    throw new Failure(`${input} starts code in a way that the bundler does not see`);
  return found;
}

const isOurs = (path) => /\/(apps|packages)\/[\w-]+\/dist\//.test(path) && !path.includes('node_modules');

/** Files keep the folder that they had; native modules come from `native/`. */
function places(work) {
  const native = (name) => `module.exports = require(suiteFolder + '/native/${name}');`;
  const stub = (contents) => ({ contents, loader: 'js', resolveDir: top });
  return {
    name: 'places',
    setup(builder) {
      builder.onResolve({ filter: /^node-gyp-build$/ }, () => ({ path: 'own', namespace: 'native' }));
      builder.onResolve({ filter: /^cmake-ts\/build\/loader$/ }, () => ({ path: 'zeromq', namespace: 'native' }));
      builder.onResolve({ filter: /prebuilds\/.*\.node$/ }, () => ({ path: 'sqlite', namespace: 'native' }));
      builder.onResolve({ filter: /^better-sqlite3-12$/ }, () => ({ path: 'older', namespace: 'native' }));
      builder.onResolve({ filter: /^better-sqlite3-13$/ }, () => ({ path: sqliteEntry(work) }));
      builder.onLoad({ filter: /.*/, namespace: 'native' }, ({ path }) => {
        if (path === 'own') return stub(`module.exports = () => require(suiteFolder + '/native/wrkz_native.node');`);
        if (path === 'zeromq') return stub(`exports.loadAddon = () => require(suiteFolder + '/native/zeromq.node');`);
        if (path === 'sqlite') return stub(native('better_sqlite3.node'));
        return stub(`throw new Error('not for this Node.js');`);
      });
      builder.onLoad({ filter: /\/dist\/.*\.js$/ }, ({ path }) => {
        if (!isOurs(path)) return undefined;
        const folder = JSON.stringify(`/${relative(top, dirname(path))}`);
        const text = readFileSync(path, 'utf8')
          .replace(/\b__dirname\b/g, `(suiteFolder + ${folder})`)
          .replace(/require\.resolve\('@wrkz\/native\/package\.json'\)/g, `(suiteFolder + '/native')`)
          .replace(/require\.resolve\("@wrkz\/native\/package\.json"\)/g, `(suiteFolder + '/native')`);
        return { contents: text, loader: 'js' };
      });
    },
  };
}
