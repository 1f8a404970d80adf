import { posix } from 'node:path';
import MiniSearch from 'minisearch';
import { buildSite } from '../site/build';
import { siteSections } from '../site/contents';
import { SEARCH_OPTIONS } from '../site/search-index';
import { repositoryFiles } from './repository';

/* The site of `npm run docs`, as it is built, without a browser; `npm run test:docs` looks at it in one. */

const site = buildSite();
const text = (path: string): string => site.get(path)?.toString('utf8') ?? '';
const pages = [...site.keys()].filter((path) => path.endsWith('.html'));
const idsOf = new Map(pages.map((path) => [path, [...text(path).matchAll(/ id="([^"]+)"/g)].map(([, id]) => id)]));
const addresses = (path: string): string[] =>
  [...text(path).matchAll(/ (?:href|src)="([^"]*)"/g)].map(([, found = '']) => found.replaceAll('&amp;', '&'));

test('every document has its page', () => {
  const shown = new Set(siteSections().flatMap((section) => section.pages.map(({ source }) => source)));
  const documents = repositoryFiles().filter(({ path }) => path.startsWith('docs/') && path.endsWith('.md'));
  expect(documents.filter(({ path }) => !shown.has(path)).map(({ path }) => path)).toEqual([]);
  expect(pages).toHaveLength(shown.size);
});

test.each(pages)('what %s leads to, and loads, is there', (path) => {
  const inside = addresses(path).filter((address) => !/^https?:/.test(address));
  const broken = inside.filter((address) => {
    const [file = '', anchor] = address.split('#');
    const target = file === '' ? path : posix.normalize(posix.join(posix.dirname(path), file));
    return !site.has(target) || (anchor !== undefined && idsOf.get(target)?.includes(anchor) !== true);
  });
  expect(broken).toEqual([]);
  expect(inside.length).toBeGreaterThan(10);
});

test('pages load nothing of other hosts, and no address in them is absolute', () => {
  for (const path of pages) {
    const loaded = [...text(path).matchAll(/<(?:script|link|img|iframe)[^>]*? (?:src|href)="([^"]*)"/g)];
    expect(loaded.map(([, address]) => address).filter((address) => /^([a-z]+:|\/)/.test(address ?? ''))).toEqual([]);
    expect(addresses(path).filter((address) => address.startsWith('/'))).toEqual([]);
    expect(text(path)).not.toMatch(/<[^>]* style=/);
  }
  expect(text('assets/site.css')).not.toMatch(/url\(|@import/);
  expect(text('assets/suite.css')).not.toMatch(/url\(|@import/);
});

test('no heading of a page stands there twice under one anchor', () => {
  const twice = [...idsOf].filter(([, ids]) => new Set(ids).size !== ids.length);
  expect(twice.map(([path]) => path)).toEqual([]);
});

test('the search finds pages by their words', () => {
  const [, json = ''] = /^globalThis\.docsIndex = ([^]*);\n$/.exec(text('assets/search-index.js')) ?? [];
  const { index } = JSON.parse(json) as { index: object };
  const search = MiniSearch.loadJS(index as never, SEARCH_OPTIONS);
  const found = (words: string): string => String(search.search(words, { prefix: true })[0]?.['url']);
  expect(found('size penalty')).toBe('protocol/difficulty-and-reward.html#size-penalty');
  expect(found('rpc-max-global-index-range')).toMatch(/^(api\/daemon|operations)\//);
  for (const { url } of search.search('wallet') as unknown as { url: string }[])
    expect(site.has(url.split('#')[0] ?? '')).toBe(true);
});
