import { createHash } from 'node:crypto';
import { REFERENCE_HEADERS, referencePage } from '../src';

const member = { name: 'a<b', type: 'string', required: false, text: 'What it is', place: 'body' };
const entry = {
  name: 'POST /x/{id}',
  summary: 'Takes <b>all</b>.',
  notes: ['Requires the API key.'],
  members: [member],
  answer: { text: '200, object', members: [member] },
  errors: [{ code: '404', text: '', when: 'There is none.' }],
};
const page = referencePage({ title: 'T', description: 'D', routes: [entry], methods: [{ ...entry, name: 'sum' }] });

test('a reference page leads to every entry, and text stays text', () => {
  const targets = [...page.matchAll(/href="#([^"]+)"/g)].map(([, target]) => target);
  expect(targets).toEqual(['post-x-id-', 'sum']);
  for (const target of targets) expect(page.split(`id="${target ?? ''}"`)).toHaveLength(2);
  expect(page).toContain('Takes &lt;b&gt;all&lt;/b&gt;.');
  expect(page).toContain('in body; optional; What it is');
  expect(page).toContain('no body');
});

test('it loads nothing and runs nothing, and its style is the one that the policy names', () => {
  expect([...page.matchAll(/\b(src|href)="([^"#]+)"/g)].map(([, , target]) => target)).toEqual(['data:,']);
  expect(page).not.toContain('<script');
  expect(page).not.toMatch(/ style="/);
  const [, style = ''] = /<style>([^]*)<\/style>/.exec(page) ?? [];
  const digest = createHash('sha256').update(style).digest('base64');
  expect(REFERENCE_HEADERS['Content-Security-Policy']).toContain(`style-src 'sha256-${digest}'`);
});
