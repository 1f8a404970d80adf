import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

const MODULE = pathToFileURL(join(__dirname, '../checks/declarations.mjs')).href;

function findings(sources: Readonly<Record<string, string>>): unknown {
  const program = `const { findings } = await import(${JSON.stringify(MODULE)});
    process.stdout.write(JSON.stringify(findings(${JSON.stringify(Object.entries(sources))})));`;
  return JSON.parse(execFileSync(process.execPath, ['--input-type=module', '-e', program], { encoding: 'utf8' }));
}

test('finds names that two folders declare and export', () => {
  const first = `export const A = 1; export type B = 1; export class C {} export enum D {} export interface E {}
    export async function F() {} export const I = 1; export default class J {}`;
  const second = `export const A = 1, X = 2; export interface B {} export abstract class C {} export const D = 1;
    export type E = 1; export function F() {} export { I } from '@wrkz/one'; interface G {}`;
  const found = ['A', 'B', 'C', 'D', 'E', 'F'].map((name) => `${name} is declared in one/a.ts and two/b.ts`);
  expect(findings({ 'one/a.ts': first, 'two/b.ts': second })).toEqual(found);
  expect(findings({ 'one/a.ts': first, 'one/b.ts': second })).toEqual([]);
});

test('finds exported object types of the same shape in any order of fields', () => {
  const sources = {
    'a.ts': `export interface A { readonly x: number; y?: string; z(): void }
      export interface Short { x: number; y: string } export type Other = { x: number; y: string; z(): void };
      interface Own { x: number; y?: string; z(): void }`,
    'b.ts': 'export type B = { z(): void; x: number; readonly y?: string };',
    'c.ts': 'export interface Short2 { x: number; y: string }',
  };
  expect(findings(sources)).toEqual(['types of the same shape: a.ts#A, b.ts#B']);
});
