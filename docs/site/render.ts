import { dirname, posix } from 'node:path';
import MarkdownIt from 'markdown-it';
import { anchorOf } from '../.vitepress/markdown';
import { type SitePage, sitePath } from './contents';

export interface Heading {
  readonly level: number;
  readonly anchor: string;
  readonly text: string;
}

/** A part of a page that the search finds: a heading and what stands below it. */
export interface FoundText {
  readonly heading: Heading;
  readonly text: string;
}

export interface RenderedPage {
  readonly html: string;
  readonly headings: readonly Heading[];
  readonly texts: readonly FoundText[];
  /** Files beside the pages that it shows or links to, from the top of the repository. */
  readonly files: readonly string[];
}

type Tokens = ReturnType<InstanceType<typeof MarkdownIt>['parse']>;

/** What is copied into the site as it is. */
const COPIED = /\.(svg|json)$/;

/** Makes the HTML of a page; links lead within the site, or are text where it has no such page. */
export function renderPage({ source, path, markdown }: SitePage, sources: ReadonlySet<string>): RenderedPage {
  const parser = new MarkdownIt({ html: false, linkify: false });
  parser.renderer.rules['table_open'] = () =>
    '<div class="scroll" tabindex="0" role="group" aria-label="Table"><table>';
  parser.renderer.rules['table_close'] = () => '</table></div>';
  const tokens = parser.parse(withoutComments(markdown), {});
  const files: string[] = [];
  const target = (link: string): string | undefined => {
    if (/^[a-z]+:|^#/i.test(link)) return link;
    const [file = '', anchor] = link.split('#');
    const meant = posix.normalize(posix.join(dirname(source), file));
    const isPage = sources.has(meant);
    if (!isPage && !COPIED.test(meant)) return undefined;
    if (!isPage) files.push(meant);
    const place = isPage ? sitePath(meant) : meant.replace(/^docs\//, '');
    return posix.relative(dirname(path), place) + (anchor === undefined ? '' : `#${anchor}`);
  };
  const headings = addAnchors(tokens);
  redirect(tokens, target);
  return {
    html: parser.renderer.render(tokens, parser.options, {}),
    headings,
    texts: textsOf(tokens, headings),
    files,
  };
}

/** Comments are not shown; raw HTML is none here, and stands as text. */
function withoutComments(markdown: string): string {
  return markdown.replace(/^<!--[^]*?-->\n/gm, '');
}

function addAnchors(tokens: Tokens): Heading[] {
  const seen = new Map<string, number>();
  return tokens.flatMap((token, i) => {
    if (token.type !== 'heading_open') return [];
    const text = plainText(tokens[i + 1]);
    const plain = anchorOf(text);
    const count = seen.get(plain) ?? 0;
    seen.set(plain, count + 1);
    const anchor = count === 0 ? plain : `${plain}-${String(count)}`;
    token.attrSet('id', anchor);
    return [{ level: Number(token.tag.slice(1)), anchor, text }];
  });
}

function plainText(token: Tokens[number] | undefined): string {
  return (token?.children ?? []).map(({ type, content }) => (type.endsWith('break') ? ' ' : content)).join('');
}

/** Points links and images into the site; a link that leads nowhere there keeps its text alone. */
function redirect(tokens: Tokens, target: (link: string) => string | undefined): void {
  for (const { children } of tokens) {
    const dropped: boolean[] = [];
    for (const token of children ?? []) {
      if (token.type === 'image') token.attrSet('src', target(String(token.attrGet('src'))) ?? '');
      if (token.type === 'link_open') {
        const found = target(String(token.attrGet('href')));
        dropped.push(found === undefined);
        if (found === undefined) token.hidden = true;
        else token.attrSet('href', found);
      }
      if (token.type === 'link_close' && dropped.pop() === true) token.hidden = true;
    }
    if (children !== null) children.splice(0, children.length, ...children.filter(({ hidden }) => !hidden));
  }
}

/** The words of a page by heading. */
function textsOf(tokens: Tokens, headings: readonly Heading[]): FoundText[] {
  const parts = headings.map((heading) => ({ heading, words: [] as string[] }));
  let at = -1;
  tokens.forEach((token, i) => {
    if (token.type === 'heading_open') at += 1;
    const isHeading = tokens[i - 1]?.type === 'heading_open';
    if (isHeading) return;
    if (token.type === 'inline') parts[at]?.words.push(plainText(token));
    if (token.type === 'fence') parts[at]?.words.push(token.content);
  });
  return parts.map(({ heading, words }) => ({ heading, text: words.join(' ').replace(/\s+/g, ' ') }));
}
