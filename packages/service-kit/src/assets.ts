import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';

/**
 * The one place that knows where files needed at run time live (native modules, worker code, SQL, tables): below the suite's
 * folder, which is a workspace, or what a single executable has unpacked (docs/operations/executables.md), laid out alike.
 */

/** What stands at the top: of a workspace, of an executable's files. */
const TOP = ['pnpm-workspace.yaml', 'suite.json'];

let root: string | undefined;

/** The folder of the suite: the nearest one above this file that is a top. */
export function suiteRoot(): string {
  if (root !== undefined) return root;
  for (let folder = __dirname; ; folder = dirname(folder)) {
    if (TOP.some((name) => existsSync(join(folder, name)))) return (root = folder);
    if (dirname(folder) === folder) throw new Error('the installation is not complete: its top folder was not found');
  }
}

/**
 * The path of a run-time file, named from the top of the suite, e.g. `apps/daemon/data/checkpoints.csv`.
 * @throws Error when the installation lacks it
 */
export function assetPath(name: string): string {
  const path = join(suiteRoot(), name);
  if (!existsSync(path)) throw new Error(`the installation is not complete: ${name} is missing`);
  return path;
}

/** How to start a piece of code in a worker thread: `new Worker(entry.path, { execArgv: entry.execArgv })`. */
export interface WorkerEntry {
  readonly path: string;
  readonly execArgv: string[];
}

/**
 * The worker code `name` beside the calling module, e.g. `workerEntry(__dirname, 'reader-worker')`: the compiled file
 * where the caller is compiled, the source (with a loader for it) where the caller runs from its source.
 */
export function workerEntry(directory: string, name: string): WorkerEntry {
  const compiled = join(directory, `${name}.js`);
  if (existsSync(compiled)) return { path: compiled, execArgv: [] };
  const source = join(directory, `${name}.ts`);
  if (!existsSync(source)) throw new Error(`the installation is not complete: ${name}.js is missing`);
  return { path: source, execArgv: ['-r', assetPath('scripts/source-loader.cjs')] };
}
