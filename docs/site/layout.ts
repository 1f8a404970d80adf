import { dirname, posix } from 'node:path';
import { html, type Markup, trustedMarkup } from '../../packages/pages/src';
import type { SitePage, SiteSection } from './contents';
import type { RenderedPage } from './render';

const SITE = 'WrkzCoin node suite';

/** A whole page of the site. Every address in it is relative, so the site may stand below any path. */
export function layout(page: SitePage, rendered: RenderedPage, sections: readonly SiteSection[]): string {
  const to = (path: string): string => posix.relative(dirname(page.path), path);
  const top = to('.') === '' ? '.' : to('.');
  const isHome = page.path === 'index.html';
  return html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <title>${isHome ? SITE : `${page.title} · ${SITE}`}</title>
        <link rel="icon" type="image/svg+xml" href="${to('assets/icon.svg')}" />
        <link rel="stylesheet" href="${to('assets/suite.css')}" />
        <link rel="stylesheet" href="${to('assets/site.css')}" />
        <script src="${to('assets/site.js')}" defer></script>
      </head>
      <body data-top="${top}">
        <a class="skip" href="#main">Skip to the content</a>
        <header class="site-head">
          <div class="bar">
            <a class="brand" href="${to('index.html')}">
              <img src="${to('assets/icon.svg')}" alt="" width="32" height="32" /><span>${SITE}</span></a
            >
            <form class="search" role="search" hidden>
              <label class="visually-hidden" for="search">Search the documents</label>
              <input id="search" type="search" placeholder="Search" autocomplete="off" spellcheck="false" />
              <ol class="found" aria-live="polite" hidden></ol>
            </form>
          </div>
        </header>
        <div class="columns">
          <details class="contents" open>
            <summary>Contents</summary>
            <nav aria-label="Site">${sections.map((section) => sectionList(section, page, to))}</nav>
          </details>
          <main id="main" class="prose" tabindex="-1">
            ${trustedMarkup(rendered.html)} ${neighbours(page, sections, to)}
          </main>
          ${onThisPage(rendered)}
        </div>
      </body>
    </html> `.toString();
}

function sectionList({ title, pages }: SiteSection, current: SitePage, to: (path: string) => string): Markup {
  return html`<details ${pages.includes(current) && html` open`}>
    <summary>${title}</summary>
    <ul>
      ${pages.map(
        (page) =>
          html`<li><a href="${to(page.path)}" ${page === current && html` aria-current="page"`}>${page.title}</a></li>`,
      )}
    </ul>
  </details>`;
}

function neighbours(page: SitePage, sections: readonly SiteSection[], to: (path: string) => string): Markup {
  const all = sections.flatMap(({ pages }) => pages);
  const at = all.indexOf(page);
  const [before, after] = [all[at - 1], all[at + 1]];
  return html`<nav class="neighbours" aria-label="Neighbours">
    ${before && html`<a rel="prev" href="${to(before.path)}">← ${before.title}</a>`}
    ${after && html`<a rel="next" href="${to(after.path)}">${after.title} →</a>`}
  </nav>`;
}

/** Pages of few headings need no list of them. */
const FEWEST = 3;
const MOST = 80;

function onThisPage({ headings }: RenderedPage): Markup | false {
  const second = headings.filter(({ level }) => level === 2);
  const shown = headings.filter(({ level }) => level === 2 || (level === 3 && headings.length <= MOST));
  if (shown.length < FEWEST || second.length === 0) return false;
  return html`<nav class="on-page" aria-label="On this page">
    <p>On this page</p>
    <ul>
      ${shown.map(({ level, anchor, text }) => html`<li class="level-${level}"><a href="#${anchor}">${text}</a></li>`)}
    </ul>
  </nav>`;
}
