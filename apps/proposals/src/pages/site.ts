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

/** What one page says; the site puts the rest around it. */
export interface PageContent {
  readonly title: string;
  readonly description: string;
  readonly main: Fragment;
  /** The entry of the navigation that it is. */
  readonly at?: string;
}

export interface SiteOptions {
  readonly network: string;
  readonly isDemo: boolean;
  /** Without a slash at its end; undefined where nobody said. */
  readonly publicUrl: string | undefined;
}

/** The pages' surroundings: style sheets, navigation, notices, footer. */
export class Site {
  readonly name = SITE_NAME;
  readonly options: SiteOptions;
  /** The files that pages load, by name. */
  readonly assets: ReadonlyMap<string, PageAsset>;
  private readonly icon: PageAsset;
  private readonly styles: readonly PageAsset[];
  private readonly scripts: readonly PageAsset[];

  /** @throws Error when the installation lacks a file */
  constructor(options: SiteOptions) {
    this.options = options;
    this.icon = loadAsset(SUITE_ICON, readAsset);
    this.styles = [SUITE_STYLE, OWN_STYLE].map((file) => loadAsset(file, readAsset));
    this.scripts = [loadAsset(COPY_SCRIPT, readAsset)];
    this.assets = new Map([this.icon, ...this.styles, ...this.scripts].map((asset) => [asset.name, asset]));
  }

  page({ title, description, main, at }: PageContent): string {
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
        { href: '/', text: 'Proposals', current: at === '/' },
        { href: '/about', text: 'How it works', current: at === '/about' },
        { href: '/feed.xml', text: 'Feed' },
      ],
      notice: this.notice(),
      footer: html`<span>wrkz-proposals ${VERSION}, free software under the GPL-3.0-or-later</span>
        <a href="/about#api">For programs</a> <a href="/openapi.json">OpenAPI document</a>`,
    });
  }

  /** A path of this site as a whole URL, where the site knows its own. */
  url(path: string): string {
    return (this.options.publicUrl ?? '') + path;
  }

  private notice(): Fragment {
    const { isDemo, network } = this.options;
    if (isDemo)
      return html`<strong>Demonstration.</strong> These proposals are made up and vanish with the program. Send no coins
        to their addresses.`;
    return (
      network !== 'mainnet' && html`<strong>This is ${network}.</strong> Its coins are for testing and worth nothing.`
    );
  }
}
