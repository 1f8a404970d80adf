import MiniSearch from 'minisearch';
import type { SitePage } from './contents';
import type { RenderedPage } from './render';

/** How a page's script must load the index, too. */
export const SEARCH_OPTIONS = { fields: ['title', 'page', 'text'], storeFields: ['title', 'page', 'url', 'start'] };

/** Of a very long part, such as a table of a hundred rows, so much is searched. */
const LONGEST_TEXT = 6000;
const START = 140;

/** The index as a script that sets `docsIndex`, so that it can be read from a file too. */
export function searchIndexScript(
  pages: readonly { readonly page: SitePage; readonly rendered: RenderedPage }[],
): string {
  const index = new MiniSearch<Record<string, unknown>>(SEARCH_OPTIONS);
  let id = 0;
  for (const { page, rendered } of pages) {
    for (const { heading, text } of rendered.texts) {
      index.add({
        ...{ id: id++, title: heading.text, page: page.title, text: text.slice(0, LONGEST_TEXT) },
        ...{ url: heading.level === 1 ? page.path : `${page.path}#${heading.anchor}`, start: text.slice(0, START) },
      });
    }
  }
  return `globalThis.docsIndex = ${JSON.stringify({ options: SEARCH_OPTIONS, index })};\n`;
}
