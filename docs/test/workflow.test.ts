import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { TOP } from './repository';

/* The workflow of the public forge, which cannot run here, uses existing scripts and projects. */

const workflow = readFileSync(join(TOP, '.github/workflows/ci.yml'), 'utf8');
const { scripts } = JSON.parse(readFileSync(join(TOP, 'package.json'), 'utf8')) as { scripts: Record<string, string> };

test('calls only scripts of package.json', () => {
  const called = [...workflow.matchAll(/\bnpm (?:run )?([\w:]+)/g)].map(([, name = '']) => name);
  expect(called.length).toBeGreaterThan(5);
  expect(called.filter((name) => !Object.hasOwn(scripts, name))).toEqual([]);
});

test('tests every package and app, and the versions of Node.js that CI promises', () => {
  const listed = [...workflow.matchAll(/^ {10}- ([\w-]+)$/gm)].map(([, name]) => name);
  const projects = ['packages', 'apps'].flatMap((folder) =>
    readdirSync(join(TOP, folder), { withFileTypes: true }).flatMap((entry) => (entry.isDirectory() ? entry.name : [])),
  );
  expect(listed.sort()).toEqual(projects.sort());
  expect(workflow).toContain('node: [20, 22, 24]');
});
