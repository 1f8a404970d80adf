import MarkdownIt from 'markdown-it';
import sanitizeHtml from 'sanitize-html';
import { inlineText, tidyTokens } from './tidy-tokens';

/** Nesting beyond this is left as text. */
const DEEPEST = 20;
/** Characters of an excerpt. */
const EXCERPT = 200;

/** Markdown without HTML of its own. */
const parser = new MarkdownIt('default', { html: false, linkify: true, typographer: false, maxNesting: DEEPEST });
// only what looks like a link in full: `file.md` is no host
parser.linkify.set({ fuzzyLink: false, fuzzyEmail: false, fuzzyIP: false });
parser.core.ruler.push('tidy', (state) => {
  state.tokens = tidyTokens(state.tokens, state.Token);
});
parser.renderer.rules['table_open'] = () => '<div class="scroll" tabindex="0"><table>\n';
parser.renderer.rules['table_close'] = () => '</table></div>\n';

/** A link names its place in full: what is relative would lead somewhere else wherever the text is shown. */
const WHOLE_LINK = /^(https?:\/\/|mailto:|wrkz:)/i;

/**
 * The parser gives out nothing else; this stands behind it, so that no fault of it and no rule added to it can let anything
 * else through (docs/protocol/lessons.md#a-listing-that-trusts-what-it-is-told).
 */
const ALLOWED: sanitizeHtml.IOptions = {
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
  transformTags: {
    a: (_tag, { href }) => ({
      tagName: 'a',
      attribs: { ...(WHOLE_LINK.test(href ?? '') && { href: href ?? '' }), rel: 'nofollow noopener noreferrer' },
    }),
    pre: () => ({ tagName: 'pre', attribs: { tabindex: '0' } }),
  },
};

/**
 * Renders Markdown as inert markup whose highest heading is h2. A long text may take half a second, so this belongs into a
 * thread of its own.
 */
export function renderText(markdown: string): string {
  return sanitizeHtml(parser.render(markdown), ALLOWED);
}

/** The first words of paragraphs: no headings, lists, code and tables. */
export function excerptOf(markdown: string): string {
  const tokens = parser.parse(markdown.slice(0, 10 * EXCERPT), {});
  const words = tokens
    .filter(({ type, level }, i) => type === 'inline' && level === 1 && tokens[i - 1]?.type === 'paragraph_open')
    .map(inlineText)
    .join(' ')
    .replace(/\s+/g, ' ')
    .trim();
  if (words.length <= EXCERPT) return words;
  const cut = words.slice(0, EXCERPT);
  return `${cut.slice(0, Math.max(cut.lastIndexOf(' '), EXCERPT / 2)).replace(/[\s,.;:]+$/, '')} …`;
}
