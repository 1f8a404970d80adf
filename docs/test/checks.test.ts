import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { TOP } from './repository';

/* The checks of `npm run verify` of exported names and types. */

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

test('exported object types of the same shape are found, in any order of fields; others are not', () => {
  source(
    'packages/one/src/a.ts',
    `export interface A { readonly x: number; y?: string; z(): void }
     export interface Short { x: number; y: string } export type Other = { x: number; y: string; z(): void };
     interface Own { x: number; y?: string; z(): void }`,
  );
  source('apps/two/src/b.ts', 'export type B = { z(): void; x: number; readonly y?: string };');
  source('apps/two/src/c.ts', 'export interface Short2 { x: number; y: string }');
  expect(ask('lib.equalShapes(root)')).toEqual([['packages/one/src/a.ts#A', 'apps/two/src/b.ts#B']]);
});
