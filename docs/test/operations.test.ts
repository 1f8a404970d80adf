import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { sectionsOf } from '../.vitepress/markdown';
import { TOP } from './repository';

/* The page of each service has all sections for operators. */

const WANTED = ['Install', 'Configure', 'Secure', 'Monitor', 'Back up', 'Upgrade', 'Troubleshoot'];

test.each(['daemon', 'wallet-api', 'wallet-rpc', 'pow-helper', 'proposals'])('the page of %s is complete', (name) => {
  const page = sectionsOf(readFileSync(join(TOP, `docs/operations/${name}.md`), 'utf8'));
  const text = (title: string): string => page.find((section) => section.title === title)?.body.trim() ?? '';
  expect(WANTED.filter((title) => text(title).length < 80)).toEqual([]);
  expect(text('Troubleshoot').split('\n').length).toBeGreaterThan(6);
});
