import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join, relative } from 'node:path';
import { build } from 'esbuild';
import { Failure } from '../../scripts/lib/run.mjs';
import { top } from '../../scripts/lib/workspace.mjs';
import { EMBEDDED } from './programs.mjs';

const runtime = (name) => JSON.stringify(join(top, 'packaging/executables/runtime', name));

/** What packages load only where it is installed besides, and do without. */
const OPTIONAL = ['bufferutil', 'utf-8-validate', '@wrkz/native/package.json'];

/** The module that reads the files of the page /docs. */
const PAGE = 'packages/service-kit/dist/http/docs.js';

/** These files, from the top: they are embedded as they are. */
function pageFiles() {
  const { resolve } = createRequire(join(top, PAGE));
  const names = ['swagger-ui-dist/swagger-ui.css', 'swagger-ui-dist/swagger-ui-bundle.js'];
  return names.map((name) => relative(top, resolve(name)));
}

/**
 * One CommonJS text of a program with all of its parts.
 * @param {{folder: string}} program
 * @param {string} sqlite the folder of the better-sqlite3 that fits the Node.js inside
 * @returns {Promise<{text: string, inputs: string[], natives: Set<string>, parts: string[]}>} inputs from the top
 */
export async function bundle({ folder }, sqlite) {
  const main = join(top, folder, 'dist/main.js');
  // Parts may bring further parts: once more until there are no new ones.
  for (let parts = []; ;) {
    const found = await bundleParts(main, parts, sqlite);
    if (found.parts.length === parts.length) return found;
    parts = found.parts;
  }
}

async function bundleParts(main, parts, sqlite) {
  const [seen, natives] = [new Set(), new Set()];
  const lines = parts.map((part) => `${JSON.stringify(`${EMBEDDED}/${part}`)}: () => require(${quoted(part)}),`);
  const { outputFiles, metafile } = await build({
    stdin: {
      contents: `require(${runtime('launch.cjs')}).launch({
        main: () => require(${JSON.stringify(main)}),
        parts: { ${lines.join('\n')} },
      });`,
      resolveDir: top,
      sourcefile: 'program.js',
    },
    absWorkingDir: top,
    bundle: true,
    platform: 'node',
    format: 'cjs',
    target: 'node24',
    // for `name`s of errors and classes, which logs and answers show
    keepNames: true,
    minifyWhitespace: true,
    legalComments: 'none',
    write: false,
    metafile: true,
    external: OPTIONAL,
    logLevel: 'error',
    plugins: [suiteModules(seen), nativeModules(natives, sqlite)],
  });
  const inputs = Object.keys(metafile.inputs).filter((name) => name !== 'program.js');
  return {
    text: outputFiles[0].text,
    inputs: inputs.includes(PAGE) ? [...inputs, ...pageFiles()] : inputs,
    natives,
    parts: [...seen].sort(),
  };
}

const quoted = (part) => JSON.stringify(join(top, `${part}.js`));

/** Our own modules: `__dirname` is where they stood in the suite; `seen` gets the parts that they start. */
function suiteModules(seen) {
  return {
    name: 'suite modules',
    setup({ onLoad }) {
      onLoad({ filter: /\/(?:apps|packages)\/[^/]+\/dist\/.*\.js$/ }, ({ path }) => {
        const source = readFileSync(path, 'utf8');
        if (!source.includes('__dirname')) return undefined;
        const place = relative(top, dirname(path));
        for (const part of partsOf(source, place)) seen.add(part);
        return { contents: `"use strict";const __dirname=${JSON.stringify(`${EMBEDDED}/${place}`)};${source}` };
      });
    },
  };
}

/** The parts that a compiled module names in `workerEntry(<folder>, '<name>')`. */
export function partsOf(source, place) {
  return [...source.matchAll(/workerEntry\)\((.+?), ['"]([\w-]+)['"]\)/g)].map(([call, directory, name]) => {
    const below =
      directory === '__dirname'
        ? ['']
        : (/^`\$\{__dirname\}\/([\w/-]+)`$/.exec(directory) ?? /\(__dirname, ['"]([\w./-]+)['"]\)$/.exec(directory));
    if (below === null) throw new Failure(`${place}: what part is started by ${call}?`);
    return join(place, below.at(-1), name);
  });
}

/** Where packages look for their native modules on the disk, they get the embedded ones. */
function nativeModules(natives, sqlite) {
  const replaced = (name, contents) => () => {
    natives.add(name);
    return { contents };
  };
  const native = (name) => `require(${runtime('natives.cjs')}).native(${JSON.stringify(name)})`;
  return {
    name: 'native modules',
    setup({ onLoad, onResolve }) {
      onResolve({ filter: /^better-sqlite3-1[23]$/ }, ({ path }) =>
        path.endsWith('13') ? { path: join(sqlite, 'lib/index.js') } : { path: 'none', external: true },
      );
      onLoad(
        { filter: /better-sqlite3[^/]*\/lib\/binding\.js$/ },
        replaced('better-sqlite3', `exports.getBinding = () => ${native('better-sqlite3')};`),
      );
      onLoad(
        { filter: /\/cmake-ts\/build\/loader\.[cm]?js$/ },
        replaced('zeromq', `exports.loadAddon = () => ${native('zeromq')};`),
      );
      // `packages/crypto` loads the module, `packages/sqlite` its file as an extension; the folder that they name does not exist
      onLoad(
        { filter: /\/node-gyp-build\/(?:node-gyp-build|index)\.js$/ },
        replaced(
          'wrkz_native',
          `module.exports = () => ${native('wrkz_native')};
           module.exports.path = () => require(${runtime('natives.cjs')}).nativeFile('wrkz_native');`,
        ),
      );
      onLoad({ filter: /\/packages\/(?:crypto\/dist\/binding|sqlite\/dist\/library)\.js$/ }, ({ path }) => {
        const [source, asked] = [readFileSync(path, 'utf8'), "require.resolve('@wrkz/native/package.json')"];
        const contents = source.replace(/require\.resolve\(['"]@wrkz\/native\/package\.json['"]\)/, "''");
        if (contents === source) throw new Failure(`${path} does not ask ${asked} any more`);
        return { contents };
      });
    },
  };
}

/** The run-time files of the packages that a program is made of, by their names from the top of the suite. */
export function dataFiles(inputs) {
  const rooms = new Set(inputs.map((name) => /^(?:apps|packages)\/[^/]+(?=\/dist\/)/.exec(name)?.[0]).filter(Boolean));
  return [...rooms].sort().flatMap((room) =>
    ['assets', 'data']
      .map((kind) => `${room}/${kind}`)
      .filter((folder) => existsSync(join(top, folder)))
      .flatMap((folder) => readdirSync(join(top, folder)).map((name) => `${folder}/${name}`)),
  );
}
