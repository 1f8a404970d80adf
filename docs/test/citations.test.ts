import { existsSync, statSync } from 'node:fs';
import { dirname, join, posix } from 'node:path';
import { REASONS } from '../../packages/consensus/src/errors';
import { anchorOf, localLinks, sectionsOf } from '../.vitepress/markdown';
import { repositoryFiles, TOP } from './repository';

/* Every citation of a protocol page and every link between pages has an existing target. */

const files = repositoryFiles();
const pages = files.filter(({ path }) => path.endsWith('.md'));
const isCode = (path: string): boolean => !path.endsWith('.md') && !path.startsWith('docs/test/');
const code = files.filter(({ path }) => isCode(path));
const textOf = new Map(files.map(({ path, text }) => [path, text]));
const anchorsOf = new Map(pages.map(({ path, text }) => [path, sectionsOf(text).map(({ anchor }) => anchor)]));
const section = (page: string, anchor: string) =>
  sectionsOf(textOf.get(page) ?? '').find((one) => one.anchor === anchor);

/** The only form of a citation. Sources name other pages only as files. */
const CITATION = /docs\/protocol\/[\w-]+\.md(#[\w-]+)?/g;
const citations = code.flatMap(({ path, text }) =>
  [...text.matchAll(CITATION)].map(([cited]) => ({
    path,
    cited,
    page: cited.split('#')[0]!,
    anchor: cited.split('#')[1],
  })),
);

/** Former citations of documents outside of the repository. */
const OLD_KINDS: readonly { readonly pattern: RegExp; readonly example: string }[] = [
  { pattern: /(?<![\w/-])protocol(\.md)?,? (section )?\d/i, example: 'the first refusal (protocol 5)' },
  { pattern: /\bspec[ /]?\d\d\b/i, example: 'Levin framing (spec 08)' },
  { pattern: /\bL\d{1,2}\b/, example: 'a shorter form, lesson L5' },
  {
    pattern: /^\s*(\/?\*|\/\/).*\b[ABT]([1-9]|[12]\d|3[0-2])\b/,
    example: ' * a transaction that does not parse (A6)',
  },
  { pattern: /\binterface document/i, example: 'defaults (interface document)' },
  { pattern: /\bnode[- ]operations\b/i, example: 'dump file (node-operations 4)' },
  { pattern: /\bdaemon-rpc\b(?!-port)|\bfacts, sections? \d/i, example: 'daemon-rpc facts, section 2' },
  { pattern: /\bwallet-(green|http-api|json-rpc)\b/, example: 'wallet-http-api.md 5' },
  {
    pattern: /(?<![\w/#-])(devnet|lessons|house|models|performance|dependencies|index)\.md\b/,
    example: 'tells networks apart (devnet.md)',
  },
];

test('the sources cite pages of docs/', () => {
  expect(citations.length).toBeGreaterThan(60);
});

test('every cited page and section exists', () => {
  const broken = citations.filter(({ page, anchor }) => anchor === undefined || !anchorsOf.get(page)?.includes(anchor));
  expect(broken.map(({ path, cited }) => `${path}: ${cited}`)).toEqual([]);
});

test('every other page and every benchmark named in a source exists', () => {
  const named = code.flatMap(({ path, text }) =>
    [...text.matchAll(/(?<![\w/.-])(?:docs\/[\w/-]+\.md|bench\/[\w.-]+\.ts)/g)].map(([file]) => ({ path, file })),
  );
  expect(named.filter(({ file }) => !existsSync(join(TOP, file)))).toEqual([]);
});

test('no document outside the repository is cited', () => {
  const searched = [...code, ...pages.filter(({ path }) => !path.startsWith('docs/protocol/'))];
  const found = searched.flatMap(({ path, text }) =>
    text
      .split('\n')
      .flatMap((line, i) =>
        OLD_KINDS.some(({ pattern }) => pattern.test(isCode(path) ? line : line.replace(/\]\([^)]*\)/g, '')))
          ? [`${path}:${i + 1}: ${line.trim()}`]
          : [],
      ),
  );
  expect(found).toEqual([]);
});

test.each(OLD_KINDS)('"$example" would be found', ({ pattern, example }) => {
  expect(pattern.test(example)).toBe(true);
});

test('every link between pages leads to an existing file and section', () => {
  const broken = pages.flatMap(({ path, text }) =>
    localLinks(text)
      .filter((target) => !leadsSomewhere(path, target))
      .map((target) => `${path}: ${target}`),
  );
  expect(broken).toEqual([]);
});

function leadsSomewhere(page: string, target: string): boolean {
  const [file = '', anchor] = target.split('#');
  const path = file === '' ? page : posix.normalize(posix.join(dirname(page), file));
  if (!existsSync(join(TOP, path))) return false;
  return anchor === undefined || anchorsOf.get(path)?.includes(anchor) === true;
}

describe('anchors of the protocol pages', () => {
  const protocol = [...anchorsOf].filter(([path]) => path.startsWith('docs/protocol/'));

  test.each(protocol)('are unique in %s', (_path, anchors) => {
    expect(anchors.filter((anchor, i) => anchors.indexOf(anchor) !== i)).toEqual([]);
  });

  test('are made of letters, digits, spaces and hyphens', () => {
    const titles = protocol.flatMap(([path]) => sectionsOf(textOf.get(path) ?? '').map(({ title }) => title));
    expect(titles.filter((title) => !/^[A-Za-z\d -]+$/.test(title))).toEqual([]);
    expect(anchorOf('Key image domain')).toBe('key-image-domain');
  });
});

describe('the rejection reasons', () => {
  const rows = [
    ...(textOf.get('docs/protocol/reasons.md') ?? '').matchAll(
      /^\| `(\w+)`\s*\| (.*?)\s*\| \[.*?\]\((.*?)#(.*?)\)\s*\| (\w+)/gm,
    ),
  ];
  const reported = new Map(rows.map(([, name, text, page, anchor, short]) => [name, { text, page, anchor, short }]));

  test('have the codes and texts of the sources in the table', () => {
    const texts = Object.entries(REASONS).map(([name, { text }]) => [name, text]);
    expect([...reported].map(([name, { text }]) => [name, text]).sort()).toEqual(texts.sort());
  });

  test.each([...reported])('%s is explained in the section of its rule', (name, { page, anchor }) => {
    expect(section(`docs/protocol/${page}`, anchor ?? '')?.body).toContain(`\`${name}\``);
  });
});

describe('the lessons', () => {
  const lessons = sectionsOf(textOf.get('docs/protocol/lessons.md') ?? '');
  const listed = lessons.flatMap(({ body }) => body.match(/^- Test: /gm) ?? []);
  const tests = lessons.flatMap(({ body }) => [...body.matchAll(/^- Test: `([^`]+)`,\s+"([^"]+)"$/gm)]);

  test('each names a test, except the last one about parts that do not exist', () => {
    const bare = lessons.slice(1, -1).filter(({ body }) => !body.includes('- Test: '));
    expect(bare.map(({ title }) => title)).toEqual([]);
    // A citation may be wrapped.
    expect(tests).toHaveLength(listed.length);
  });

  test.each(tests.map(([, path, name]) => [path!, name!]))('%s has "%s"', (path, name) => {
    expect(textOf.get(path)?.replaceAll("\\'", "'")).toContain(name.replaceAll(/\s+/g, ' '));
  });

  test('the cited tests exist', () => {
    const named = lessons.flatMap(({ body }) => [...body.matchAll(/`((?:packages|apps|native)\/[\w./-]+)`/g)]);
    const missing = named.map((match) => match[1]!).filter((path) => !existsSync(join(TOP, path)));
    expect(missing).toEqual([]);
    expect(statSync(join(TOP, 'docs/protocol/lessons.md')).isFile()).toBe(true);
  });
});
