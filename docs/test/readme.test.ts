import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { sectionsOf } from '../.vitepress/markdown';
import { TOP } from './repository';

/* The README contains only measured figures. */

test('each figure of the README is in the benchmarks', () => {
  const read = (path: string): string => readFileSync(join(TOP, path), 'utf8');
  const measured = sectionsOf(read('README.md')).find(({ title }) => title === 'Measured')?.body ?? '';
  const figures = [...measured.matchAll(/\d[\d,.]*\d/g)].map(([figure]) => figure);
  expect(figures.length).toBeGreaterThan(8);
  const known = new Set([...read('docs/benchmarks.md').matchAll(/\d[\d,.]*\d/g)].map(([figure]) => figure));
  expect(figures.filter((figure) => !known.has(figure))).toEqual([]);
});
