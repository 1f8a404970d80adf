import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { getAsset, isSea } from 'node:sea';
import { Worker, type WorkerOptions } from 'node:worker_threads';

/**
 * Locates files that are needed at run time (worker code, tables, style sheets): below the suite's folder, or inside a single
 * executable built by `npm run build:executables`. In an executable the `__dirname` of a module is its path in the suite with the
 * prefix `EMBEDDED`, and the code of all workers is part of one script.
 */

/** Prefix of paths inside a single executable. */
const EMBEDDED = 'embedded:';
/** The whole program, which a thread runs with the name of its part before it. */
const PROGRAM = 'program.js';

let root: string | undefined;

/** The folder of the suite: the nearest parent folder with the workspace file. */
export function suiteRoot(): string {
  if (root !== undefined) return root;
  for (let folder = __dirname; ; folder = dirname(folder)) {
    if (existsSync(join(folder, 'pnpm-workspace.yaml'))) return (root = folder);
    if (dirname(folder) === folder) throw new Error('the installation is not complete: its top folder was not found');
  }
}

/**
 * The path of a run-time file. @param name relative to the suite's folder, e.g. `apps/daemon/data/checkpoints.csv`
 * @throws Error if the file is missing in the installation
 */
export function assetPath(name: string): string {
  const path = join(suiteRoot(), name);
  if (!existsSync(path)) throw new Error(`the installation is not complete: ${name} is missing`);
  return path;
}

/**
 * The content of a run-time file, named as for `assetPath`. Also works inside an executable.
 * @throws Error if the file is missing in the installation
 */
export function readAsset(name: string): Buffer {
  if (!isSea()) return readFileSync(assetPath(name));
  try {
    return Buffer.from(getAsset(name));
  } catch {
    throw new Error(`the executable is not complete: ${name} is missing`);
  }
}

/**
 * The bytes of a file of an npm package, such as `swagger-ui-dist/swagger-ui.css`.
 * @throws Error if the file is missing in the installation
 */
export function readPackageFile(name: string): Buffer {
  return isSea() ? readAsset(name) : readFileSync(createRequire(__filename).resolve(name));
}

/**
 * How to start a piece of code by itself: `startThread(entry)`, `fork(entry.path, [], { execArgv: entry.execArgv })`.
 * An executable whose first argument is the name of an entry runs that entry.
 */
export interface WorkerEntry {
  readonly path: string;
  readonly execArgv: string[];
}

/**
 * The worker code `name` beside the calling module, e.g. `workerEntry(__dirname, 'reader-worker')`: the compiled file, or
 * the source (with a loader for it) if the package is not compiled. Tests run from source and start compiled workers, which
 * load three times faster; `npm test` compiles first.
 */
export function workerEntry(directory: string, name: string): WorkerEntry {
  if (directory.startsWith(EMBEDDED)) return { path: join(directory, name), execArgv: [] };
  const compiled = join(compiledFolder(directory), `${name}.js`);
  if (existsSync(compiled)) return { path: compiled, execArgv: [] };
  const source = join(directory, `${name}.ts`);
  if (!existsSync(source)) throw new Error(`the installation is not complete: ${name}.js is missing`);
  return { path: source, execArgv: ['-r', assetPath('scripts/source-loader.cjs')] };
}

/** Maps a folder below `src` to its counterpart below `dist`; returns any other folder unchanged. */
function compiledFolder(directory: string): string {
  return directory.replace(/(.*[\\/])src(?=[\\/]|$)/, '$1dist');
}

/** Starts a thread at an entry, with the `execArgv` of the entry. */
export function startThread(entry: WorkerEntry, options: Omit<WorkerOptions, 'execArgv' | 'eval'>): Worker {
  const { path, execArgv } = entry;
  if (!path.startsWith(EMBEDDED)) return new Worker(path, { ...options, execArgv });
  const text = readAsset(PROGRAM).toString('utf8');
  return new Worker(`globalThis.wrkzPart = ${JSON.stringify(path)};\n${text}`, { ...options, eval: true });
}
