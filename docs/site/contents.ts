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

const within = (folder: string, names: readonly string[]): string[] => names.map((name) => `${folder}/${name}.md`);

const PLANS: readonly Plan[] = [
  { title: 'Start', first: ['README.md', ...within('docs', ['quick-start', 'concepts'])] },
  {
    title: 'Operations',
    first: within('docs/operations', [
      ...['running', 'daemon', 'wallet-api', 'wallet-rpc', 'pow-helper', 'proposals', 'moving'],
    ]),
    folder: 'docs/operations',
  },
  {
    title: 'API',
    first: [
      ...within('docs/api', ['README']),
      ...['daemon', 'wallet-api', 'wallet-rpc', 'pow-helper', 'proposals', 'miner'].flatMap((name) =>
        within(`docs/api/${name}`, ['options', 'reference', 'errors']),
      ),
    ],
  },
  { title: 'Protocol', first: within('docs/protocol', ['README']), folder: 'docs/protocol' },
  {
    title: 'Project',
    first: [
      ...within('docs', [
        'differences',
        'architecture',
        'architecture/storage',
        'architecture/mempool',
        'architecture/events',
        'architecture/mining',
        'architecture/p2p',
        'architecture/rpc',
        'architecture/wallet',
        'architecture/native',
        'architecture/services',
        'benchmarks',
      ]),
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

/** The README of a folder is its `index.html`, that of the top the first page; `SECURITY.md` is `security.html`. */
export function sitePath(source: string): string {
  const inSite = source.startsWith('docs/') ? source.slice('docs/'.length) : source.toLowerCase();
  return inSite.replace(/readme\.md$/i, 'index.html').replace(/\.md$/, '.html');
}
