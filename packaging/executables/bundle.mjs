import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join, relative } from 'node:path';
import { build } from 'esbuild';
import { Failure } from '../../scripts/lib/run.mjs';
import { top } from '../../scripts/lib/workspace.mjs';

/** Prefix of paths inside an executable; `packages/service-kit/src/assets.ts` has the same constant. */
const EMBEDDED = 'embedded:';
/** Not bundled: two optional dependencies of `ws`, and a package that executables do without. */
const EXTERNAL = ['bufferutil', 'utf-8-validate', '@wrkz/native/package.json'];
/** This module serves /docs with two files of Swagger UI. */
const SWAGGER_MODULE = 'packages/service-kit/dist/http/docs.js';
const SWAGGER_FILES = ['swagger-ui-dist/swagger-ui.css', 'swagger-ui-dist/swagger-ui-bundle.js'];

const runtime = (name) => JSON.stringify(join(top, 'packaging/executables/runtime', name));

/**
 * Bundles a program with the code of its threads and child processes into one CommonJS text.
 * @param {string} folder the package of the program
 * @param {string} sqlite the folder of the better-sqlite3 for the Node.js inside
 * @returns {Promise<{text: string, assets: Record<string, string>, natives: Set<string>, workers: string[], metafile: object}>}
 *   `assets`: paths of embedded data files, by asset name; `natives`: names of native modules; `metafile` of esbuild
 */
export async function bundle(folder, sqlite) {
  const main = join(top, folder, 'dist/main.js');
  // Workers may start further workers: repeat until no new one is found.
  for (let workers = []; ;) {
    const found = await bundleWith(main, workers, sqlite);
    if (found.workers.length === workers.length) return found;
    workers = found.workers;
  }
}

async function bundleWith(main, workers, sqlite) {
  const [found, natives] = [new Set(), new Set()];
  const entries = workers.map(
    (worker) =>
      `${JSON.stringify(`${EMBEDDED}/${worker}`)}: () => require(${JSON.stringify(join(top, `${worker}.js`))}),`,
  );
  const { outputFiles, metafile } = await build({
    stdin: {
      contents: `require(${runtime('launch.cjs')}).launch({
        main: () => require(${JSON.stringify(main)}),
        workers: { ${entries.join('\n')} },
      });`,
      resolveDir: top,
      sourcefile: 'program.js',
    },
    absWorkingDir: top,
    bundle: true,
    platform: 'node',
    format: 'cjs',
    target: 'node24',
    // Logs and responses contain names of errors and classes.
    keepNames: true,
    minifyWhitespace: true,
    legalComments: 'none',
    write: false,
    metafile: true,
    external: EXTERNAL,
    logLevel: 'error',
    plugins: [suiteModules(found), nativeModules(natives, sqlite)],
  });
  const assets = assetsOf(Object.keys(metafile.inputs));
  const [output] = Object.values(metafile.outputs);
  // For the bill of materials: the program in place of the generated text, and the data files.
  output.entryPoint = relative(top, main);
  for (const files of [metafile.inputs, output.inputs]) delete files['program.js'];
  for (const path of Object.values(assets)) {
    const [file, { size }] = [relative(top, path), statSync(path)];
    metafile.inputs[file] = { bytes: size, imports: [] };
    output.inputs[file] = { bytesInOutput: size };
  }
  return { text: outputFiles[0].text, assets, natives, workers: [...found].sort(), metafile };
}

/** The data files of the bundled packages of the suite, by their paths from the top, and those of Swagger UI. */
function assetsOf(inputs) {
  const packages = new Set(inputs.flatMap((name) => /^(?:apps|packages)\/[^/]+(?=\/dist\/)/.exec(name)?.[0] ?? []));
  const files = [...packages]
    .sort()
    .flatMap((name) => [`${name}/assets`, `${name}/data`])
    .filter((folder) => existsSync(join(top, folder)))
    .flatMap((folder) => readdirSync(join(top, folder)).map((name) => `${folder}/${name}`));
  const assets = Object.fromEntries(files.map((file) => [file, join(top, file)]));
  if (!inputs.includes(SWAGGER_MODULE)) return assets;
  const { resolve } = createRequire(join(top, SWAGGER_MODULE));
  return { ...assets, ...Object.fromEntries(SWAGGER_FILES.map((name) => [name, resolve(name)])) };
}

/** Modules of the suite get their `__dirname` below EMBEDDED; `found` receives the workers that they start. */
function suiteModules(found) {
  return {
    name: 'suite modules',
    setup({ onLoad }) {
      onLoad({ filter: /\/(?:apps|packages)\/[^/]+\/dist\/.*\.js$/ }, ({ path }) => {
        const source = readFileSync(path, 'utf8');
        if (!source.includes('__dirname')) return undefined;
        const folder = relative(top, dirname(path));
        for (const worker of workersOf(source, folder)) found.add(worker);
        return { contents: `"use strict";const __dirname=${JSON.stringify(`${EMBEDDED}/${folder}`)};${source}` };
      });
    },
  };
}

/** The files that a compiled module in `folder` names in `workerEntry(<folder>, '<name>')`, without extension. */
function workersOf(source, folder) {
  return [...source.matchAll(/workerEntry\)\((.+?), ['"]([\w-]+)['"]\)/g)].map(([call, directory, name]) => {
    const below =
      directory === '__dirname'
        ? ['']
        : (/^`\$\{__dirname\}\/([\w/-]+)`$/.exec(directory) ?? /\(__dirname, ['"]([\w./-]+)['"]\)$/.exec(directory));
    if (below === null) throw new Failure(`${folder}: the folder in ${call} is not a constant`);
    return join(folder, below.at(-1), name);
  });
}

/** Replaces the modules that load native modules from the disk: embedded ones are loaded instead. */
function nativeModules(natives, sqlite) {
  const native = (name) => `require(${runtime('natives.cjs')}).native(${JSON.stringify(name)})`;
  return {
    name: 'native modules',
    setup({ onLoad, onResolve }) {
      const replace = (filter, name, contents) =>
        onLoad({ filter }, () => {
          natives.add(name);
          return { contents };
        });
      onResolve({ filter: /^better-sqlite3-1[23]$/ }, ({ path }) =>
        path.endsWith('13') ? { path: join(sqlite, 'lib/index.js') } : { path: 'none', external: true },
      );
      replace(
        /better-sqlite3[^/]*\/lib\/binding\.js$/,
        'better-sqlite3',
        `exports.getBinding = () => ${native('better-sqlite3')};`,
      );
      replace(/\/cmake-ts\/build\/loader\.[cm]?js$/, 'zeromq', `exports.loadAddon = () => ${native('zeromq')};`);
      // `packages/crypto` loads the module; `packages/sqlite` passes its file to SQLite as an extension.
      replace(
        /\/node-gyp-build\/(?:node-gyp-build|index)\.js$/,
        'wrkz_native',
        `module.exports = () => ${native('wrkz_native')};
         module.exports.path = () => require(${runtime('natives.cjs')}).nativeFile('wrkz_native');`,
      );
      onLoad({ filter: /\/packages\/(?:crypto\/dist\/binding|sqlite\/dist\/library)\.js$/ }, ({ path }) => {
        const source = readFileSync(path, 'utf8');
        const contents = source.replace(/require\.resolve\(['"]@wrkz\/native\/package\.json['"]\)/, "''");
        if (contents === source) throw new Failure(`${path} does not resolve @wrkz/native/package.json`);
        return { contents };
      });
    },
  };
}
