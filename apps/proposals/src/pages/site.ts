import {
  COPY_SCRIPT,
  html,
  loadAsset,
  pageShell,
  SUITE_ICON,
  SUITE_STYLE,
  type Fragment,
  type PageAsset,
} from '@wrkz/pages';
import { readAsset, VERSION } from '@wrkz/service-kit';

const SITE_NAME = 'WrkzCoin Proposals';
const OWN_STYLE = 'apps/proposals/assets/proposals.css';

/** The content of a page, without navigation and footer. */
export interface PageContent {
  readonly title: string;
  readonly description: string;
  readonly main: Fragment;
  /** Path of the current entry in the navigation. */
  readonly path?: string;
}

export interface SiteOptions {
  readonly network: string;
  readonly isDemo: boolean;
  /** Value of `--public-url` without a trailing slash. */
  readonly publicUrl: string | undefined;
}

/** Adds style sheets, navigation, notice and footer to the pages. */
export class Site {
  readonly name = SITE_NAME;
  readonly options: SiteOptions;
  /** The files that pages load. */
  readonly assets: readonly PageAsset[];
  private readonly icon: PageAsset;
  private readonly styles: readonly PageAsset[];
  private readonly scripts: readonly PageAsset[];

  /** @throws Error if a file of the installation is missing */
  constructor(options: SiteOptions) {
    this.options = options;
    this.icon = loadAsset(SUITE_ICON, readAsset);
    this.styles = [SUITE_STYLE, OWN_STYLE].map((file) => loadAsset(file, readAsset));
    this.scripts = [loadAsset(COPY_SCRIPT, readAsset)];
    this.assets = [this.icon, ...this.styles, ...this.scripts];
  }

  page({ title, description, main, path }: PageContent): string {
    return pageShell({
      site: SITE_NAME,
      title,
      description,
      main,
      styles: this.styles.map(({ path }) => path),
      scripts: this.scripts.map(({ path }) => path),
      icon: this.icon.path,
      feed: { href: '/feed.xml', title: `${SITE_NAME}: newest` },
      navigation: [
        { href: '/', text: 'Proposals', current: path === '/' },
        { href: '/about', text: 'How it works', current: path === '/about' },
        { href: '/feed.xml', text: 'Feed' },
      ],
      notice: this.notice(),
      footer: html`<span>wrkz-proposals ${VERSION}, free software under the GPL-3.0-or-later</span>
        <a href="/about#api">For programs</a> <a href="/openapi.json">OpenAPI document</a>`,
    });
  }

  /** An absolute URL if `--public-url` is set, else the path. */
  url(path: string): string {
    return (this.options.publicUrl ?? '') + path;
  }

  private notice(): Fragment {
    const { isDemo, network } = this.options;
    if (isDemo)
      return html`<strong>Demonstration.</strong> These proposals are samples. Send no coins to their addresses.`;
    return (
      network !== 'mainnet' && html`<strong>This is ${network}.</strong> Its coins are for tests and have no value.`
    );
  }
}

const ERROR_TITLES: Readonly<Record<number, string>> = { 404: 'Page not found', 429: 'Too many requests' };

/** @param text text of the error, as returned by the API */
export function errorPage(status: number, text: string): PageContent {
  const title = ERROR_TITLES[status] ?? (status < 500 ? 'Invalid request' : 'Internal error');
  const sentence = `${text.charAt(0).toUpperCase()}${text.slice(1)}${/[.!?]$/.test(text) ? '' : '.'}`;
  return {
    title,
    description: text,
    main: html`<div class="card nothing">
      <h1>${title}</h1>
      <p class="lead">${sentence}</p>
      <p><a class="button" href="/">To the proposals</a></p>
    </div>`,
  };
}
