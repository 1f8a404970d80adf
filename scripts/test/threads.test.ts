import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { buildSync } from 'esbuild';

const TOP = join(__dirname, '../..');

/** Modules that only services need: loading one costs a thread more than its own code. */
const SERVERS = /node_modules\/(express|yargs|winston|prom-client)\//;

/** The entry files of threads and helper processes: the arguments of `workerEntry`. */
function entries(): string[] {
  const found = new Set<string>();
  for (const file of sources()) {
    const calls = readFileSync(file, 'utf8').matchAll(
      /workerEntry\((?:__dirname|join\(__dirname, '([^']+)'\)|`[^/]+\/([^`]+)`), '([^']+)'\)/g,
    );
    for (const [, joined = '', named = '', name = ''] of calls)
      found.add(join(dirname(file), joined, named, `${name}.ts`));
  }
  // Excludes an example in a comment, and the process that serves the RPC.
  return [...found].filter((file) => !/(reader-worker|rpc-process)\.ts$/.test(file)).sort();
}

function sources(): string[] {
  return ['apps', 'packages'].flatMap((kind) =>
    readdirSync(join(TOP, kind)).flatMap((name) => {
      const folder = join(TOP, kind, name, 'src');
      return readdirSync(folder, { recursive: true, encoding: 'utf8' })
        .filter((path) => path.endsWith('.ts'))
        .map((path) => join(folder, path));
    }),
  );
}

test('no thread loads modules that only services need', () => {
  const all = entries();
  expect(all.length).toBeGreaterThanOrEqual(9);
  for (const entry of all) {
    const { metafile } = buildSync({
      entryPoints: [entry],
      absWorkingDir: TOP,
      bundle: true,
      platform: 'node',
      conditions: ['@wrkz/source'],
      loader: { '.node': 'empty' },
      external: ['@wrkz/native/package.json', 'better-sqlite3-*', 'bufferutil', 'utf-8-validate'],
      write: false,
      metafile: true,
      logLevel: 'silent',
    });
    expect([entry, Object.keys(metafile.inputs).filter((name) => SERVERS.test(name))]).toEqual([entry, []]);
  }
});
