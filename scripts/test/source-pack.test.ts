import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readdirSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

const TOP = join(__dirname, '../..');
const LOADER = ['scripts/source-loader.cjs', 'scripts/lib/source-pack.cjs', 'scripts/lib/make-source-pack.mjs'];

/** A suite of two packages: `apps/one` with an entry, and `packages/two`, which it imports. */
let suite: string;

beforeEach(() => {
  suite = mkdtempSync(join(realpathSync(tmpdir()), 'wrkz-source-pack-'));
  for (const name of LOADER) cpSync(join(TOP, name), join(suite, name));
  mkdirSync(join(suite, 'node_modules'));
  symlinkSync(realpathSync(join(TOP, 'node_modules/esbuild')), join(suite, 'node_modules/esbuild'));
  const two = {
    name: '@wrkz/two',
    exports: { '.': { '@wrkz/source': './src/index.ts' }, './package.json': './package.json' },
  };
  write('packages/two/package.json', JSON.stringify(two));
  write('apps/one/package.json', JSON.stringify({ name: '@wrkz/one' }));
  mkdirSync(join(suite, 'apps/one/node_modules/@wrkz'), { recursive: true });
  symlinkSync(join(suite, 'packages/two'), join(suite, 'apps/one/node_modules/@wrkz/two'));
});
afterEach(() => rmSync(suite, { recursive: true }));

function write(name: string, text: string): void {
  mkdirSync(dirname(join(suite, name)), { recursive: true });
  writeFileSync(join(suite, name), text);
}

function runEntry(name = 'apps/one/main.ts'): string {
  const loader = join(suite, 'scripts/source-loader.cjs');
  return execFileSync(process.execPath, ['-r', loader, join(suite, name)], { encoding: 'utf8', stdio: 'pipe' }).trim();
}

function packs(): string[] {
  return readdirSync(join(suite, 'node_modules/.cache/source-packs')).filter((name) => name.endsWith('.json'));
}

test('what is packed is packed once, and again when a source, or what says where it is, changes', () => {
  write('packages/two/src/index.ts', "export const said: string = 'first';");
  write('apps/one/main.ts', "import { said } from '@wrkz/two'; console.log(said);");
  expect([runEntry(), runEntry()]).toEqual(['first', 'first']);
  write('packages/two/src/index.ts', "export const said: string = 'second';");
  expect(runEntry()).toBe('second');
  write('packages/two/src/other.ts', "export const said: string = 'third';");
  write(
    'packages/two/package.json',
    JSON.stringify({ name: '@wrkz/two', exports: { '.': { '@wrkz/source': './src/other.ts' } } }),
  );
  expect(runEntry()).toBe('third');
  expect(packs()).toHaveLength(1);
});

test('a module of a pack knows its own place, and the stack of an error names the source', () => {
  write(
    'packages/two/src/index.ts',
    'interface Gone { a: 1 }\n\nexport const place = (): string[] => [__dirname, __filename];',
  );
  write(
    'apps/one/main.ts',
    `import { place } from '@wrkz/two';

interface Gone {
  no: string;
}
console.log(JSON.stringify([...place(), String(new Error('seen').stack).split('\\n')[1]]));`,
  );
  const [folder, file, line] = JSON.parse(runEntry()) as string[];
  expect([folder, file]).toEqual([join(suite, 'packages/two/src'), join(suite, 'packages/two/src/index.ts')]);
  expect(line).toContain(`${join(suite, 'apps/one/main.ts')}:6:`);
});

test('a text that is not whole is made anew', () => {
  write('apps/one/main.ts', "console.log('whole');");
  expect(runEntry()).toBe('whole');
  const [name = ''] = packs();
  write(`node_modules/.cache/source-packs/${name.replace('.json', '.js')}`, "console.log('torn");
  expect(runEntry()).toBe('whole');
});

test('a thread is packed like a process', () => {
  write('apps/one/thread.ts', "import { parentPort } from 'node:worker_threads'; parentPort!.postMessage(__filename);");
  write(
    'apps/one/main.ts',
    `import { Worker } from 'node:worker_threads';
import { join } from 'node:path';
new Worker(join(__dirname, 'thread.ts')).on('message', (said: string) => console.log(said));`,
  );
  expect(runEntry()).toBe(join(suite, 'apps/one/thread.ts'));
  expect(packs()).toHaveLength(2);
});

test('where no pack can be written the sources are run one by one, and an error in one is told with its place', () => {
  write('node_modules/.cache/source-packs', 'a file in the place of the folder');
  write('packages/two/src/index.ts', "export const said: string = 'unpacked';");
  write('apps/one/main.ts', "import { said } from '@wrkz/two'; console.log(said);");
  expect(runEntry()).toBe('unpacked');
  write('packages/two/src/index.ts', 'export const said = ;');
  expect(() => runEntry()).toThrow(/index\.ts:?.*\n?.*Unexpected ";"|Unexpected ";"/);
});
