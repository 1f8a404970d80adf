import type MarkdownIt from 'markdown-it';

type Parser = InstanceType<typeof MarkdownIt>;
type Token = ReturnType<Parser['parse']>[number];
type TokenClass = Parameters<Parser['core']['process']>[0]['Token'];

/**
 * Makes of parsed Markdown what a page can hold: headings below the page's own without a gap between their levels, and
 * none, no link and no column head without a text; images become links, since a page loads nothing of other hosts.
 */
export function tidyTokens(tokens: readonly Token[], make: TokenClass): Token[] {
  const outline: number[] = [];
  const kept: Token[] = [];
  for (let i = 0; i < tokens.length; i++) {
    const [token, inline] = [tokens[i] as Token, tokens[i + 1]];
    if (token.type === 'inline') token.children = tidyInline(token.children ?? [], make);
    if (token.type === 'th_open' && inline?.content === '') token.tag = 'td';
    if (token.type === 'th_close' && tokens[i - 1]?.content === '') token.tag = 'td';
    if (token.type === 'heading_open' && isWithoutText(inline)) {
      i += 2; // its text and its end
      continue;
    }
    if (token.type === 'heading_open') token.tag = headingTag(outline, token.tag);
    if (token.type === 'heading_close') token.tag = `h${Math.min(outline.length + 1, 6)}`;
    kept.push(token);
  }
  return kept;
}

/** Notes a heading among those above it, by the levels as written: `###` twice is one level. */
function headingTag(outline: number[], written: string): string {
  const level = Number(written.slice(1));
  while ((outline.at(-1) ?? 0) >= level) outline.pop();
  outline.push(level);
  return `h${Math.min(outline.length + 1, 6)}`;
}

function isWithoutText(inline: Token | undefined): boolean {
  return inline === undefined || inlineText(inline) === '';
}

/** The words of inline Markdown. */
export function inlineText({ children }: Token): string {
  return (children ?? [])
    .map(({ type, content }) => (type.endsWith('break') ? ' ' : content))
    .join('')
    .trim();
}

function tidyInline(children: readonly Token[], make: TokenClass): Token[] {
  const kept: Token[] = [];
  let link: { readonly href: string; readonly at: number } | undefined;
  for (const token of children) {
    if (token.type === 'link_open') link = { href: String(token.attrGet('href') ?? ''), at: kept.length };
    if (token.type === 'link_close' && link !== undefined) {
      const words = kept.slice(link.at + 1).map(({ content }) => content);
      if (words.join('').trim() === '') kept.push(textToken(link.href, make));
      link = undefined;
    }
    if (token.type === 'image') kept.push(...imageTokens(token, link !== undefined, make));
    else kept.push(token);
  }
  return kept;
}

/** An image as a link to it, named by its description; within a link as the description alone. */
function imageTokens(image: Token, isInLink: boolean, make: TokenClass): Token[] {
  const source = String(image.attrGet('src') ?? '');
  const text = textToken(image.content.trim() || (isInLink ? 'image' : source), make);
  if (isInLink) return [text];
  const open = new make('link_open', 'a', 1);
  open.attrSet('href', source);
  return [open, text, new make('link_close', 'a', -1)];
}

function textToken(content: string, make: TokenClass): Token {
  const token = new make('text', '', 0);
  token.content = content;
  return token;
}
