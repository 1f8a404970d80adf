import { execFile } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { type OptionSpec, STANDARD_OPTIONS, typeOfOption } from '../../packages/service-kit/src';
import { defaultOf, helpOf } from '../../scripts/docs-print/options';
import { printedPages } from '../../scripts/docs-print/pages';
import { PRINTED_SERVICES } from '../../scripts/docs-print/services';
import { TOP } from './repository';

/* docs/api is up to date with the declarations. */

const REMEDY = 'docs/api is stale: run `npm run docs:print`';
const pages = printedPages();
const stored = (path: string): string => {
  try {
    return readFileSync(join(TOP, 'docs/api', path), 'utf8');
  } catch {
    return '';
  }
};
const helps = PRINTED_SERVICES.flatMap(({ helps: all }) => all.map((help) => [help.call, help] as const));
/** Removes white space, because the line breaks of `--help` are irrelevant, and full lines have no space before the type. */
const packed = (text: string): string => text.replace(/\s+/g, '');

/** The output of `--help` for an option, without white space. */
function helpLine(spec: OptionSpec): string {
  const [shown, { choices }] = [defaultOf(spec), spec];
  const inBrackets = choices === undefined ? '' : `(${choices.join(', ')})`;
  const type = typeOfOption(spec);
  const kind = type === 'list' ? 'array' : type;
  return packed(`--${spec.name} ${spec.help}${inBrackets}[${kind}]${shown === '' ? '' : `[default: ${shown}]`}`);
}

test('every printed page equals what the declarations print', () => {
  const stale = pages.filter(({ path, text }) => stored(path) !== text).map(({ path }) => path);
  expect({ stale, remedy: REMEDY }).toEqual({ stale: [], remedy: REMEDY });
});

test('the folder of printed pages has no other files', () => {
  const files = readdirSync(join(TOP, 'docs/api'), { recursive: true, withFileTypes: true });
  const names = files.filter((entry) => entry.isFile()).map(({ name, parentPath }) => join(parentPath, name));
  expect(names.sort()).toEqual(pages.map(({ path }) => join(TOP, 'docs/api', path)).sort());
});

test.each(helps)('%s --help names every option of its page, with default and text', (_call, help) => {
  // Removes long aliases, which are between a name and its text.
  const text = packed(helpOf(help).replace(/^( +(?:-\w, )?--[\w-]+)(, --[\w-]+)+/gm, '$1'));
  const options: readonly OptionSpec[] = [...help.options, ...STANDARD_OPTIONS];
  const missing = options.filter((spec) => spec.hidden !== true && !text.includes(helpLine(spec)));
  expect(missing.map(({ name }) => name)).toEqual([]);
});

const MAIN: Readonly<Record<string, string>> = { miner: 'packages/miner' };

test('the page of a program has its --help output', async () => {
  const run = promisify(execFile);
  const printed = PRINTED_SERVICES.map(async ({ folder }) => {
    const main = join(TOP, MAIN[folder] ?? `apps/${folder}`, 'src/main.ts');
    const { stdout } = await run(process.execPath, ['-r', join(TOP, 'scripts/source-loader.cjs'), main, '--help']);
    const path = `${folder}/options.md`;
    return stored(path).includes(`\`\`\`text\n${stdout.trimEnd()}\n\`\`\``) ? [] : [path];
  });
  expect({ stale: (await Promise.all(printed)).flat(), remedy: REMEDY }).toEqual({ stale: [], remedy: REMEDY });
});
