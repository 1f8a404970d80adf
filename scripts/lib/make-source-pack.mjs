/**
 * `node make-source-pack.mjs <entry> <name>`: one CommonJS text of a TypeScript file and all that it imports, as
 * `<name>.js`, with `<name>.map` and, in `<name>.json`, what it was made of. Used by `source-pack.cjs`.
 */
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, renameSync, statSync, writeFileSync } from 'node:fs';
import { createRequire, isBuiltin } from 'node:module';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { build } from 'esbuild';

/** Have native modules, which they look for beside themselves; or need not be there. */
const LEFT_OUT = /^(?:better-sqlite3-1[23]|zeromq|node-gyp-build|bufferutil|utf-8-validate)$/;

const [entry, name] = process.argv.slice(2);
const top = join(dirname(fileURLToPath(import.meta.url)), '../..');

const { outputFiles, metafile } = await build({
  entryPoints: [entry],
  absWorkingDir: top,
  outfile: `${name}.js`,
  bundle: true,
  platform: 'node',
  format: 'cjs',
  target: 'node20',
  conditions: ['@wrkz/source'],
  tsconfigRaw: {},
  // for `name`s of errors and classes, which logs and answers show
  keepNames: true,
  sourcemap: 'external',
  sourcesContent: false,
  legalComments: 'none',
  write: false,
  metafile: true,
  logLevel: 'error',
  plugins: [{ name: 'places', setup: keepPlaces }],
});

const text = outputFiles.find(({ path }) => path.endsWith('.js')).text;
const sources = Object.keys(metafile.inputs).map((input) => join(top, input));
const inputs = [...sources, ...descriptions(sources)].map((path) => {
  const { size, mtimeMs } = statSync(path);
  return [path, size, mtimeMs];
});
mkdirSync(dirname(name), { recursive: true });
put('js', text);
put('map', outputFiles.find(({ path }) => path.endsWith('.map')).text);
// last: without it the others count for nothing
put('json', JSON.stringify({ inputs, digest: createHash('sha256').update(text).digest('hex') }));

/** What says where imports lead: the lockfile, and the description of each package of the suite. */
function descriptions(paths) {
  const packages = paths.map((path) => /^(?:apps|packages)\/[^/]+/.exec(relative(top, path))?.[0]).filter(Boolean);
  const names = ['pnpm-lock.yaml', ...[...new Set(packages)].map((folder) => `${folder}/package.json`)];
  return names.map((path) => join(top, path)).filter((path) => existsSync(path));
}

/** Whole, or not at all; another process may write the same. */
function put(kind, content) {
  const unfinished = `${name}.${kind}.${process.pid}`;
  writeFileSync(unfinished, content);
  renameSync(unfinished, `${name}.${kind}`);
}

/** What modules say of their own place, and what they load from beside it, stays what it is outside of a pack. */
function keepPlaces({ onLoad, onResolve }) {
  onResolve({ filter: /^[^./]/ }, ({ path, importer }) => {
    if (isBuiltin(path) || path.startsWith('@wrkz/') || importer === '') return undefined;
    // what a package gives to `require`, since that is what an import becomes without a pack
    const found = resolvedBy(importer, path);
    const external = LEFT_OUT.test(path);
    return found === undefined && !external ? undefined : { path: found ?? path, external };
  });
  onLoad({ filter: /\.[cm]?[jt]s$/ }, ({ path }) => {
    const source = readFileSync(path, 'utf8');
    if (!/__dirname|__filename|import\.meta\.url|require\.resolve\(/.test(source)) return undefined;
    const own = `const __dirname=${JSON.stringify(dirname(path))},__filename=${JSON.stringify(path)};`;
    const contents = source
      .replaceAll('import.meta.url', JSON.stringify(pathToFileURL(path).href))
      .replaceAll(/require\.resolve\(['"]([^'"]+)['"]\)/g, (call, asked) => {
        const found = resolvedBy(path, asked);
        return found === undefined ? call : JSON.stringify(found);
      });
    // before the first line, so that lines keep their numbers
    const strict = /^\s*['"]use strict['"]/.test(contents) ? '"use strict";' : '';
    return { contents: `${strict}${own}${contents}`, loader: path.endsWith('ts') ? 'ts' : 'js' };
  });
}

/** What Node.js finds for a `require` in a file; undefined where that is nothing. */
function resolvedBy(file, asked) {
  try {
    return createRequire(file).resolve(asked);
  } catch {
    return undefined;
  }
}
