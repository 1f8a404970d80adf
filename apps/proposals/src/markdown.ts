import { yieldToEventLoop } from '@wrkz/service-kit';
import { LRUCache } from 'lru-cache';
import MarkdownIt from 'markdown-it';
import sanitizeHtml from 'sanitize-html';

/** Max nesting depth. Deeper nesting is rendered as text. */
const MAX_NESTING = 20;
/** Max characters of an excerpt. */
const EXCERPT_LENGTH = 200;
/** Max number of block and inline elements. Rendering a text of 32 KB with this number takes about 40 ms. */
export const MAX_ELEMENTS = 20_000;
/** Max characters of the unsanitized HTML. A reference repeats its URL at each use, so 32 KB could become 64 MB. */
export const MAX_HTML = 512 * 1024;
/** Max bytes of cached markup and excerpts. */
const CACHE_BYTES = 16 * 1024 * 1024;

const parser = new MarkdownIt('default', { html: false, linkify: true, maxNesting: MAX_NESTING });
// Only complete URLs become links: `file.md` is not a host.
parser.linkify.set({ fuzzyLink: false, fuzzyEmail: false, fuzzyIP: false });
// These links would be removed, and finding `//a.b/` thousands of times takes seconds.
for (const schema of ['//', 'ftp:']) parser.linkify.add(schema, null);

const { rules } = parser.renderer;
rules['table_open'] = () => '<div class="scroll" tabindex="0"><table>\n';
rules['table_close'] = () => '</table></div>\n';
for (const name of ['link_open', 'link_close'] as const)
  rules[name] = (tokens, at, options, env, renderer) => {
    if (env !== undefined) env['isInLink'] = name === 'link_open';
    return renderer.renderToken(tokens, at, options);
  };
// The content security policy forbids images from other hosts, so an image is rendered as a link.
rules['image'] = (tokens, at, _options, env) => {
  const { escapeHtml } = parser.utils;
  const url = String(tokens[at]?.attrGet('src') ?? '');
  const text = tokens[at]?.content.trim() ?? '';
  if (env?.['isInLink'] === true) return escapeHtml(text || 'image');
  return `<a href="${escapeHtml(url)}">${escapeHtml(text || url)}</a>`;
};

/** Relative URLs are removed, because they would resolve differently on each page and in feed readers. */
const ABSOLUTE_URL = /^(https?:\/\/|mailto:|wrkz:)/i;

/**
 * Defence in depth: removes everything that the parser should never produce
 * (docs/protocol/lessons.md#a-listing-without-input-validation).
 */
const SANITIZER: sanitizeHtml.IOptions = {
  allowedTags: [
    ...['h2', 'h3', 'h4', 'h5', 'h6', 'p', 'blockquote', 'ul', 'ol', 'li', 'hr', 'br', 'pre', 'code', 'em', 'strong'],
    ...['s', 'a', 'div', 'table', 'thead', 'tbody', 'tr', 'th', 'td'],
  ],
  allowedAttributes: {
    a: ['href', 'rel'],
    ol: ['start'],
    pre: ['tabindex'],
    div: [
      { name: 'class', values: ['scroll'] },
      { name: 'tabindex', values: ['0'] },
    ],
  },
  allowedSchemes: ['http', 'https', 'mailto', 'wrkz'],
  allowedSchemesAppliedToAttributes: ['href'],
  allowProtocolRelative: false,
  disallowedTagsMode: 'discard',
  // Remove links and headings without text: they are invisible, but screen readers announce them.
  exclusiveFilter: ({ tag, text }) => /^(a|h\d)$/.test(tag) && text.trim() === '',
  transformTags: {
    a: (_tag, { href }) => ({
      tagName: 'a',
      attribs: { ...(ABSOLUTE_URL.test(href ?? '') && { href: href ?? '' }), rel: 'nofollow noopener noreferrer' },
    }),
    // The page already has an h1.
    h1: 'h2',
    pre: () => ({ tagName: 'pre', attribs: { tabindex: '0' } }),
  },
};

/** Renders Markdown as safe HTML: no scripts, styles, images or raw HTML, only links to absolute URLs. */
export function renderMarkdown(markdown: string): string {
  return sanitizeHtml(parser.render(markdown), SANITIZER);
}

/** The HTML before the sanitizer. Not safe: only for validation. */
export function renderUnsanitized(markdown: string): string {
  return parser.render(markdown);
}

/** The number of elements, which determines the rendering time. */
export function countElements(markdown: string): number {
  return parser.parse(markdown, {}).reduce((sum, { children }) => sum + 1 + (children?.length ?? 0), 0);
}

/** The first words of the paragraphs, without headings, lists, code and tables. */
export function excerptOf(markdown: string): string {
  const tokens = parser.parse(markdown.slice(0, 10 * EXCERPT_LENGTH), {});
  const words = tokens
    .filter(({ type, level }, i) => type === 'inline' && level === 1 && tokens[i - 1]?.type === 'paragraph_open')
    .flatMap(({ children }) => [
      ...(children ?? []).map((one) => (one.type.endsWith('break') ? ' ' : one.content)),
      ' ',
    ])
    .join('')
    .replace(/\s+/g, ' ')
    .trim();
  if (words.length <= EXCERPT_LENGTH) return words;
  const cut = words.slice(0, EXCERPT_LENGTH);
  return `${cut.slice(0, Math.max(cut.lastIndexOf(' '), EXCERPT_LENGTH / 2)).replace(/[\s,.;:]+$/, '')} …`;
}

/** Caches the markup and excerpts of texts. */
export class MarkdownCache {
  private readonly cache = new LRUCache<string, string, () => string>({
    maxSize: CACHE_BYTES,
    sizeCalculation: (result, key) => 2 * (result.length + key.length) + 256,
    memoMethod: (_key, _stale, { context: create }) => create(),
  });

  /** Yields to the event loop before each rendering, because a feed has many texts. */
  async render(markdown: string): Promise<string> {
    if (!this.cache.has(`render ${markdown}`)) await yieldToEventLoop();
    return this.cache.memo(`render ${markdown}`, { context: () => renderMarkdown(markdown) });
  }

  excerpt(markdown: string): string {
    return this.cache.memo(`excerpt ${markdown}`, { context: () => excerptOf(markdown) });
  }
}
