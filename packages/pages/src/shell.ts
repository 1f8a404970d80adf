import { html, type Fragment, type Markup } from './html';

export interface NavigationLink {
  readonly href: string;
  readonly text: string;
  /** Whether this is the link of the page, or of a parent. */
  readonly current?: boolean;
}

export interface ShellOptions {
  /** Name of the site, beside the icon. */
  readonly site: string;
  /** Title of the page; the window title appends the site. */
  readonly title: string;
  readonly description: string;
  /** Paths of style sheets, scripts and the icon. */
  readonly styles: readonly string[];
  readonly scripts: readonly string[];
  readonly icon: string;
  readonly feed?: { readonly href: string; readonly title: string };
  readonly navigation: readonly NavigationLink[];
  /** Shown at the top: demo data, a test network. */
  readonly notice?: Fragment;
  readonly main: Fragment;
  readonly footer: Fragment;
}

/** A complete page. It is readable without script and style sheet. */
export function pageShell(options: ShellOptions): string {
  const { site, title, description, styles, scripts, icon, feed, navigation, notice, main, footer } = options;
  const page = html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <title>${title === site ? site : `${title} · ${site}`}</title>
        <meta name="description" content="${description}" />
        <meta name="color-scheme" content="light dark" />
        <link rel="icon" type="image/svg+xml" href="${icon}" />
        ${styles.map((href) => html`<link rel="stylesheet" href="${href}" />`)}
        ${feed && html`<link rel="alternate" type="application/atom+xml" href="${feed.href}" title="${feed.title}" />`}
        ${scripts.map((src) => html`<script src="${src}" defer></script>`)}
      </head>
      <body>
        <a class="skip" href="#main">Skip to the content</a>
        ${notice && html`<aside class="notice" aria-label="Notice"><div class="wide">${notice}</div></aside>`}
        <header class="site-head">
          <div class="wide">
            <a class="brand" href="/"><img src="${icon}" alt="" width="36" height="36" /><span>${site}</span></a>
            <nav aria-label="Site">
              <ul>
                ${navigation.map(link)}
              </ul>
            </nav>
          </div>
        </header>
        <main id="main" class="wide" tabindex="-1">${main}</main>
        <footer class="site-foot"><div class="wide">${footer}</div></footer>
      </body>
    </html> `;
  return page.toString();
}

function link({ href, text, current = false }: NavigationLink): Markup {
  return html`<li><a href="${href}" ${current && html` aria-current="page"`}>${text}</a></li>`;
}

/**
 * Headers of every page. Pages load only files from this server, have no inline scripts or styles, cannot be framed, and send
 * no referrer.
 */
export const PAGE_HEADERS: Readonly<Record<string, string>> = {
  'Content-Security-Policy': [
    "default-src 'none'",
    "style-src 'self'",
    "script-src 'self'",
    "img-src 'self'",
    "form-action 'self'",
    "base-uri 'none'",
    "frame-ancestors 'none'",
  ].join('; '),
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Permissions-Policy': 'camera=(), geolocation=(), microphone=(), payment=(), usb=()',
  'Referrer-Policy': 'no-referrer',
};
