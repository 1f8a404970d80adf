import { copyFileSync, existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, posix, relative } from 'node:path';
import { defineConfig, type DefaultTheme, type MarkdownOptions } from 'vitepress';
import { anchorOf } from './markdown';

/* The site of `npm run docs`: docs/ and the documents at the top of the repository. */

const TOP = join(import.meta.dirname, '../..');
const ICON = 'packages/pages/assets/icon.svg';
/** Folders of code. Their READMEs are not pages. */
const CODE = ['apps', 'bench', 'native', 'packages', 'packaging', 'scripts'];

type MarkdownIt = Parameters<NonNullable<MarkdownOptions['config']>>[0];
type Token = ReturnType<MarkdownIt['parse']>[number];

/** The path of a file in the site: `docs/api/README.md` is `api/index.md`. */
function sitePath(file: string): string {
  return file.replace(/^docs\//, '').replace(/(^|\/)README\.md$/, '$1index.md');
}

/** A page in the sidebar, under its first heading. */
function sidebarItem(file: string): DefaultTheme.SidebarItem {
  const heading = /^# (.+)$/m.exec(readFileSync(join(TOP, file), 'utf8'))?.[1];
  return { text: heading?.replaceAll('\\', '') ?? file, link: `/${sitePath(file)}` };
}

/** The documents of a folder: those named first, then the others by file name. */
function filesOf(folder: string, first: readonly string[] = []): string[] {
  const names = readdirSync(join(TOP, folder)).filter((name) => name.endsWith('.md'));
  return [...new Set([...first.map((name) => `${name}.md`), ...names])].map((name) => `${folder}/${name}`);
}

function section(text: string, files: readonly string[]): DefaultTheme.SidebarItem {
  return { text, collapsed: true, items: files.map(sidebarItem) };
}

const API_FOLDERS = readdirSync(join(TOP, 'docs/api'), { withFileTypes: true })
  .filter((entry) => entry.isDirectory())
  .map(({ name }) => `docs/api/${name}`);

/** Address of a link in the site; undefined for a file of the repository that the site does not have. */
function siteLink(href: string, source: string): string | undefined {
  if (/^([a-z]+:|#)/i.test(href)) return href;
  const [path = '', anchor] = href.split('#');
  const file = posix.join(posix.dirname(source), path);
  const isInSite = /\.(md|json)$/.test(file) && !CODE.includes(file.split('/')[0] ?? '');
  if (!isInSite && existsSync(join(TOP, file))) return undefined;
  return `/${sitePath(file)}${anchor === undefined ? '' : `#${anchor}`}`;
}

/** Documents link to files as GitHub does. Links to pages become addresses of the site, links to code plain text. */
function resolveLinks(tokens: readonly Token[], source: string): Token[] {
  let isDropped = false;
  return tokens.filter((token) => {
    if (token.type === 'link_open') {
      const href = siteLink(String(token.attrGet('href')), source);
      isDropped = href === undefined;
      if (href !== undefined) token.attrSet('href', href);
    }
    return !(isDropped && /^link_(open|close)$/.test(token.type));
  });
}

function configureMarkdown(md: MarkdownIt): void {
  md.disable('emoji');
  md.core.ruler.push('repository_links', ({ tokens, env }) => {
    const { realPath, path } = env as { readonly realPath?: string; readonly path: string };
    const source = relative(TOP, realPath ?? path);
    for (const token of tokens) {
      // An indented block gets the box of a fenced block, which scrolls.
      if (token.type === 'code_block') token.type = 'fence';
      if (token.children !== null) token.children = resolveLinks(token.children, source);
    }
  });
}

export default defineConfig({
  title: 'WrkzCoin node suite',
  description: 'Documentation of the WrkzCoin daemon, wallet services, proof-of-work helper and proposal listing',
  lang: 'en',
  head: [['link', { rel: 'icon', type: 'image/svg+xml', href: '/icon.svg' }]],
  srcDir: '..',
  // The build writes the last two; the search for pages would follow the links in them.
  srcExclude: [...CODE, '.bootstrap', 'release'].map((folder) => `${folder}/**`),
  rewrites: sitePath,
  outDir: 'dist',
  cacheDir: '../node_modules/.cache/vitepress',
  cleanUrls: false,
  markdown: {
    // `{id}` in a heading is a path parameter, not a list of attributes.
    attrs: { disable: true },
    linkify: false,
    // The anchors of GitHub, which documents and comments of sources cite.
    anchor: { slugify: anchorOf },
    config: configureMarkdown,
  },
  vite: { build: { chunkSizeWarningLimit: 5000 } },
  buildEnd({ outDir }) {
    copyFileSync(join(TOP, ICON), join(outDir, 'icon.svg'));
    for (const folder of API_FOLDERS) {
      for (const name of readdirSync(join(TOP, folder)).filter((file) => file.endsWith('.json'))) {
        copyFileSync(join(TOP, folder, name), join(outDir, sitePath(`${folder}/${name}`)));
      }
    }
  },
  themeConfig: {
    logo: '/icon.svg',
    search: { provider: 'local' },
    outline: [2, 3],
    nav: [
      { text: 'Quick start', link: '/quick-start' },
      { text: 'Operations', link: '/operations/running', activeMatch: '^/operations/' },
      { text: 'API', link: '/api/', activeMatch: '^/api/' },
      { text: 'Protocol', link: '/protocol/', activeMatch: '^/protocol/' },
      { text: 'Architecture', link: '/architecture', activeMatch: '^/architecture' },
    ],
    sidebar: [
      section('Start', ['README.md', 'docs/quick-start.md', 'docs/concepts.md']),
      section('Operations', filesOf('docs/operations', ['running', 'daemon', 'wallet-api', 'wallet-rpc'])),
      section('API', [...filesOf('docs/api'), ...API_FOLDERS.flatMap((folder) => filesOf(folder, ['options']))]),
      section('Protocol', filesOf('docs/protocol', ['README'])),
      section('Architecture', ['docs/architecture.md', ...filesOf('docs/architecture')]),
      section('Project', [
        ...['docs/differences.md', 'docs/benchmarks.md', 'docker/README.md'],
        ...['CHANGELOG.md', 'CONTRIBUTING.md', 'SECURITY.md'],
      ]),
    ],
  },
});
