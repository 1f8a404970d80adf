import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { siteSections } from './contents';
import { layout } from './layout';
import { renderPage } from './render';
import { searchIndexScript } from './search-index';

const TOP = join(__dirname, '../..');

/** Files of the site that are no pages: where they stand, and where in the repository they come from. */
const ASSETS: Readonly<Record<string, string>> = {
  'assets/suite.css': 'packages/pages/assets/suite.css',
  'assets/icon.svg': 'packages/pages/assets/icon.svg',
  'assets/site.css': 'docs/site/assets/site.css',
  'assets/site.js': 'docs/site/assets/site.js',
};

/** The whole site: the bytes of each file by its path. */
export function buildSite(): Map<string, Buffer> {
  const sections = siteSections();
  const pages = sections.flatMap((section) => section.pages);
  const sources = new Set(pages.map(({ source }) => source));
  const rendered = pages.map((page) => ({ page, rendered: renderPage(page, sources) }));
  const site = new Map<string, Buffer>();
  for (const { page, rendered: one } of rendered) {
    site.set(page.path, Buffer.from(layout(page, one, sections)));
    for (const file of one.files) site.set(file.replace(/^docs\//, ''), readFileSync(join(TOP, file)));
  }
  for (const [path, file] of Object.entries(ASSETS)) site.set(path, readFileSync(join(TOP, file)));
  site.set('assets/search-index.js', Buffer.from(searchIndexScript(rendered)));
  site.set('assets/minisearch.js', minisearch());
  return site;
}

/** The library as browsers take it; its map is not part of the site. */
function minisearch(): Buffer {
  const file = join(TOP, 'node_modules/minisearch/dist/umd/index.js');
  return Buffer.from(readFileSync(file, 'utf8').replace(/^\/\/# sourceMappingURL=.*$/m, ''));
}
