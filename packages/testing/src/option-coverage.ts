import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const CALL = /^exercises\(([^)]*)\);/gm;
const OWN_FILE = join('options', 'table.test.ts');

export interface OptionCoverage {
  /** Options without a test that declares them with `exercises('<name>')`, and the files that mention them. */
  readonly missing: readonly string[];
  /** Declarations of unknown options, and of options that the file does not use. */
  readonly wrong: readonly string[];
}

/** Compares the options of a program with the `exercises` calls in its tests. */
export function optionCoverage(tests: string, names: readonly string[]): OptionCoverage {
  const sources = readdirSync(tests, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.test.ts') && file !== OWN_FILE)
    .map((file) => {
      const all = readFileSync(join(tests, file), 'utf8');
      const declared = [...all.matchAll(CALL)].flatMap(([, list = '']) =>
        [...list.matchAll(/'([^']+)'/g)].map(([, name = '']) => name),
      );
      return { file, declared, text: all.replace(CALL, '') };
    });
  const missing = names
    .filter((name) => !sources.some(({ declared }) => declared.includes(name)))
    .map((name) => [name, ...sources.filter(({ text }) => uses(text, name)).map(({ file }) => file)].join(' '));
  const wrong = sources.flatMap(({ file, declared, text }) =>
    declared.filter((name) => !names.includes(name) || !uses(text, name)).map((name) => `${file}: ${name}`),
  );
  return { missing, wrong };
}

/** Whether a source sets an option: on a command line, or as a key of a file. */
function uses(text: string, name: string): boolean {
  return new RegExp(`--${name}(?![a-z0-9-])|['"\`]${name}['"\`]|\\b${name}=`).test(text);
}
