import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { TOP } from './repository';

/* Whether the check of names finds what it is there to find. */

let root: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'wrkz-checks-'));
});
afterEach(() => rmSync(root, { recursive: true }));

function source(path: string, text: string): void {
  mkdirSync(dirname(join(root, path)), { recursive: true });
  writeFileSync(join(root, path), text);
}

/** The value of an expression over the scripts' module of exports, whose folder is `root`. */
function ask(expression: string): unknown {
  const url = pathToFileURL(join(TOP, 'scripts/lib/exports.mjs')).href;
  const program = `const lib = await import(${JSON.stringify(url)}); const root = ${JSON.stringify(root)};
    process.stdout.write(JSON.stringify(${expression}));`;
  return JSON.parse(execFileSync(process.execPath, ['--input-type=module', '-e', program], { encoding: 'utf8' }));
}

test('a name that two folders give is found, however it is given; what is passed on is not', () => {
  source(
    'packages/one/src/a.ts',
    `export const A = 1; export type B = 1; export class C {} export enum D {} export namespace E { export const x = 1; }
     export interface F {} export function G() {} export * as H from './b'; export const I = 1; export const J = 1;`,
  );
  source(
    'apps/two/src/room/b.ts',
    `const other = 1; interface B {} export { other as A, type B }; export { x as C } from './x';
     export const { D, y: [E] } = z; export type F = 2; export function G() {} export const H = 2;
     export { I } from '@wrkz/one'; export { default as J } from './x';`,
  );
  expect(ask('[...lib.namesDefinedTwice(root).keys()]')).toEqual(['A', 'B', 'C', 'D', 'E', 'F', 'G', 'H']);
});

test('every function has its name looked at', () => {
  source(
    'packages/one/src/a.ts',
    `function a() {} const b = () => 1; class X { c() {} #d() {} e = async () => 1; f: () => void; }
     const o = { g() {}, h: () => 1, 'i': function () {} }; interface Y { j(): void; k: () => void }
     const l = (() => 1) as () => number; function m(n: () => void) {} const none = 5;`,
  );
  expect(ask("lib.functionNames(lib.parse('packages/one/src/a.ts', root)).map(({ name }) => name).sort()")).toEqual([
    ...'abcdefghijklmn',
  ]);
});
