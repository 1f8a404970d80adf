import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** The top of the repository. */
const TOP = join(__dirname, '../..');

/** A page of the site. */
export interface SitePage {
  /** Its Markdown, from the top of the repository. */
  readonly source: string;
  /** Its place in the site. */
  readonly path: string;
  readonly title: string;
  readonly markdown: string;
}

export interface SiteSection {
  readonly title: string;
  readonly pages: readonly SitePage[];
}

/** What a section holds: pages by name, and then whatever else its folder has, by title. */
interface Plan {
  readonly title: string;
  readonly first: readonly string[];
  readonly folder?: string;
}

const PLANS: readonly Plan[] = [
  { title: 'Start', first: ['README.md', 'docs/quick-start.md', 'docs/concepts.md'] },
  {
    title: 'Operations',
    first: ['daemon', 'wallet-api', 'wallet-rpc', 'pow-helper', 'proposals', 'moving'].map(
      (name) => `docs/operations/${name}.md`,
    ),
    folder: 'docs/operations',
  },
  {
    title: 'API',
    first: [
      'docs/api/README.md',
      ...['daemon', 'wallet-api', 'wallet-rpc', 'pow-helper', 'proposals', 'miner'].flatMap((name) =>
        ['options', 'reference', 'errors'].map((page) => `docs/api/${name}/${page}.md`),
      ),
    ],
  },
  { title: 'Protocol', first: ['docs/protocol/README.md'], folder: 'docs/protocol' },
  {
    title: 'Project',
    first: [
      ...['differences', 'architecture', 'benchmarks'].map((name) => `docs/${name}.md`),
      ...['CHANGELOG.md', 'CONTRIBUTING.md', 'SECURITY.md', 'docker/README.md'],
    ],
  },
];

/** The pages by section, in the order of the navigation. Those that are not there are left out. */
export function siteSections(): SiteSection[] {
  return PLANS.map(({ title, first, folder }) => {
    const named = first.flatMap(pageOf);
    const taken = new Set(named.map(({ source }) => source));
    const rest = (folder === undefined ? [] : readdirSync(join(TOP, folder)))
      .map((name) => `${folder ?? ''}/${name}`)
      .filter((source) => source.endsWith('.md') && !taken.has(source))
      .flatMap(pageOf)
      .sort((a, b) => a.title.localeCompare(b.title, 'en'));
    return { title, pages: [...named, ...rest] };
  });
}

function pageOf(source: string): SitePage[] {
  try {
    const markdown = readFileSync(join(TOP, source), 'utf8');
    const title = /^# (.+)$/m.exec(markdown)?.[1]?.replaceAll('\\', '') ?? source;
    return [{ source, path: sitePath(source), title, markdown }];
  } catch {
    return [];
  }
}

/** `docs/protocol/README.md` is `protocol/index.html`, `README.md` the first page, `SECURITY.md` `security.html`. */
export function sitePath(source: string): string {
  const inSite = source.startsWith('docs/') ? source.slice('docs/'.length) : source.toLowerCase();
  return inSite.replace(/readme\.md$/i, 'index.html').replace(/\.md$/, '.html');
}
