import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { WALLET_API_OPTIONS } from '../../src';
import { GENERAL } from '../support/exercises';

/* Every option has a test: the table of who exercises what, collected from the sources of all tests of this program. */

const TESTS = join(__dirname, '..');
const CALL = /^exercises\(([^)]*)\);/gm;

interface TestSource {
  readonly file: string;
  /** What it says that it exercises. */
  readonly claims: readonly string[];
  /** The rest of it. */
  readonly text: string;
}

const sources: readonly TestSource[] = readdirSync(TESTS, { recursive: true, encoding: 'utf8' })
  .filter((file) => file.endsWith('.test.ts') && file !== join('options', 'table.test.ts'))
  .map((file) => {
    const all = readFileSync(join(TESTS, file), 'utf8');
    const claims = [...all.matchAll(CALL)].flatMap(([, names = '']) =>
      [...names.matchAll(/'([^']+)'/g)].map((m) => m[1] ?? ''),
    );
    return { file, claims, text: all.replace(CALL, '') };
  });
const names: readonly string[] = [...WALLET_API_OPTIONS.map(({ name }) => name), ...GENERAL];

/** Whether a source gives an option a value: on a command line, or as a key. */
function uses(text: string, name: string): boolean {
  return new RegExp(`--${name}(?![a-z0-9-])|['"\`]${name}['"\`]|\\b${name}=`).test(text);
}

test.each(names)('--%s has a test that uses it', (name) => {
  const by = sources.filter(({ claims }) => claims.includes(name));
  const candidates = sources.filter(({ text }) => uses(text, name)).map(({ file }) => file);
  // An option that fails here needs a test that calls exercises('<name>'); these files mention it.
  expect({ by: by.length > 0, candidates }).toEqual({ by: true, candidates });
});

test('every test that claims an option exists and uses it', () => {
  const wrong = sources.flatMap(({ file, claims, text }) =>
    claims.filter((name) => !names.includes(name) || !uses(text, name)).map((name) => `${file}: ${name}`),
  );
  expect(wrong).toEqual([]);
});
