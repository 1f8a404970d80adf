import fc from 'fast-check';
import { countElements, excerptOf, MAX_ELEMENTS, renderMarkdown } from '../src/markdown';
import { ATTACKS } from './support/attacks';

const ELEMENT = /<(\/?)([a-zA-Z!?][^\s>/]*)((?:\s[^>]*)?)>/g;
const ALLOWED = new Set(
  'h2 h3 h4 h5 h6 p blockquote ul ol li hr br pre code em strong s a div table thead tbody tr th td'.split(' '),
);
const ATTRIBUTES: Readonly<Record<string, RegExp>> = {
  a: /^( href="(https?:\/\/|mailto:|wrkz:)[^"]*")? rel="nofollow noopener noreferrer"$/i,
  ol: /^( start="\d+")?$/,
  pre: /^ tabindex="0"$/,
  div: /^ class="scroll" tabindex="0"$/,
};

/** Elements and attributes that are not allowed, and wrong nesting. */
function faults(html: string): string[] {
  const found: string[] = [];
  const open: string[] = [];
  for (const [all, slash, name = '', rest = ''] of html.matchAll(ELEMENT)) {
    if (!ALLOWED.has(name)) found.push(all);
    else if (slash === '' && !(ATTRIBUTES[name] ?? /^(\s\/)?$/).test(rest.replace(/\s*\/$/, ''))) found.push(all);
    if (slash === '' && !['br', 'hr'].includes(name)) open.push(name);
    if (slash === '/' && open.pop() !== name) found.push(`${all} closes something else`);
  }
  if (open.length > 0) found.push(`left open: ${open.join(' ')}`);
  return found;
}

test('the check detects dangerous HTML', () => {
  for (const bad of [
    '<script>',
    '<p style="x">',
    '<a href="javascript:x" rel="nofollow noopener noreferrer">',
    '<img src="x">',
    '<p></div>',
    '<a href="data:text/html,x" rel="nofollow noopener noreferrer">',
  ])
    expect(faults(bad)).not.toEqual([]);
  expect(faults('<p>a <a href="https://a.b/?c=d&amp;e" rel="nofollow noopener noreferrer">x</a><br /></p>')).toEqual(
    [],
  );
});

test.each(ATTACKS.map((text) => [text.length > 80 ? `${text.slice(0, 60)}... (${text.length})` : text, text]))(
  'renders %j as safe HTML',
  (_title, text) => {
    const [html, excerpt] = [renderMarkdown(text), excerptOf(text)];
    expect(faults(html)).toEqual([]);
    expect(excerpt.length).toBeLessThanOrEqual(202);
  },
);

test('only a complete URL becomes a link', () => {
  const links = (text: string): string[] =>
    [...renderMarkdown(text).matchAll(/href="([^"]*)"/g)].map(([, url = '']) => url);
  expect(links('read.me, www.a.example, a.example/b, user@a.example, 192.0.2.1')).toEqual([]);
  expect(links('see https://a.example/b.')).toEqual(['https://a.example/b']);
  // For such texts the search for links takes quadratic time.
  for (const text of ['//a.example/b', 'ftp://a.example/b']) expect(renderMarkdown(text)).toBe(`<p>${text}</p>\n`);
});

test('no random input produces dangerous HTML', () => {
  const pieces = fc.constantFrom(
    ...'<>[]()!`*_~#|-\n\t "\'&;:/\\=x',
    '<script>',
    '</p>',
    'javascript:',
    '](',
    '![',
    '<svg/onload=',
    '&#x',
    'http://',
    '<!--',
    ']]>',
    '<![CDATA[',
    '\u0000',
    '\u2028',
    'data:text/html,',
  );
  fc.assert(
    fc.property(fc.array(pieces, { maxLength: 60 }), (parts) =>
      expect(faults(renderMarkdown(parts.join('')))).toEqual([]),
    ),
    { numRuns: 500 },
  );
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), (text) => expect(faults(renderMarkdown(text))).toEqual([])),
    { numRuns: 200 },
  );
});

test('retains harmless markup: headings below the page heading, lists, tables, code, links', () => {
  const text =
    '# One\n\n### Three\n\n### Three\n\n## Two\n\nText *a* **b** ~~c~~ `d` [e](https://f.example/?g=h&i "t") https://j.example/k.\n\n1. x\n2. y\n\n| a | |\n|---|---|\n| 1 | 2 |\n\n```js\n<b>\n```\n> q\n';
  const [html, excerpt] = [renderMarkdown(text), excerptOf(text)];
  expect([...html.matchAll(/<(h\d)>/g)].map(([, tag]) => tag)).toEqual(['h2', 'h3', 'h3', 'h2']);
  expect(html).toContain('<em>a</em> <strong>b</strong> <s>c</s> <code>d</code>');
  expect(html).toContain('<a href="https://f.example/?g=h&amp;i" rel="nofollow noopener noreferrer">e</a>');
  expect(html).toContain('<a href="https://j.example/k" rel="nofollow noopener noreferrer">https://j.example/k</a>.');
  expect(html).toContain('<div class="scroll" tabindex="0"><table>');
  expect(html).toContain('<th>a</th>\n<th></th>');
  expect(html).toContain('<pre tabindex="0"><code>&lt;b&gt;\n</code></pre>');
  expect(excerpt).toBe('Text a b c d e https://j.example/k.');
});

test('images become links, links and headings without text are removed', () => {
  expect(renderMarkdown('![A photo](https://a.example/b.png) ![](https://a.example/c.png)')).toBe(
    '<p><a href="https://a.example/b.png" rel="nofollow noopener noreferrer">A photo</a> ' +
      '<a href="https://a.example/c.png" rel="nofollow noopener noreferrer">https://a.example/c.png</a></p>\n',
  );
  expect(renderMarkdown('[![alt](https://a.example/b.png)](https://c.example/)')).toContain('>alt</a>');
  expect(renderMarkdown('[![](https://a.example/b.png) x](https://c.example/) ![<b>](https://a.example/)')).toBe(
    '<p><a href="https://c.example/" rel="nofollow noopener noreferrer">image x</a> ' +
      '<a href="https://a.example/" rel="nofollow noopener noreferrer">&lt;b&gt;</a></p>\n',
  );
  expect(renderMarkdown('[](https://c.example/)')).toBe('<p></p>\n');
  expect(renderMarkdown('#\n\n## \n\ntext').trim()).toBe('<p>text</p>');
});

test('the elements of a text are counted, also those that the parser adds to short table rows', () => {
  expect(countElements('Some *words* and a [link](https://a.example/).\n\n- item')).toBe(20);
  expect(countElements('Words with *marks* and a [link](https://a.example/).\n\n'.repeat(600))).toBeLessThan(
    MAX_ELEMENTS,
  );
  const wide = `|${'a|'.repeat(1000)}\n|${'-|'.repeat(1000)}\n${'|\n'.repeat(1000)}`;
  expect(countElements(wide)).toBeGreaterThan(MAX_ELEMENTS);
});

test('an excerpt ends at a word', () => {
  const excerpt = excerptOf('word '.repeat(100));
  expect(excerpt).toMatch(/^(word )+…$/);
  expect(excerptOf('x'.repeat(5000)).length).toBeLessThan(210);
});
