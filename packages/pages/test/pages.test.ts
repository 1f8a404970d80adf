import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  COPY_SCRIPT,
  countText,
  dayText,
  escapeText,
  html,
  isoTime,
  loadAsset,
  timeText,
  PAGE_HEADERS,
  pageShell,
  SUITE_ICON,
  SUITE_STYLE,
  trustedMarkup,
} from '../src';

const top = join(__dirname, '../../..');

test('a template escapes text but not markup', () => {
  const text = `<b>"x"</b> & 'y'`;
  expect(html`<p title="${text}">${text}</p>`.toString()).toBe(
    '<p title="&lt;b&gt;&quot;x&quot;&lt;/b&gt; &amp; &#39;y&#39;">&lt;b&gt;&quot;x&quot;&lt;/b&gt; &amp; &#39;y&#39;</p>',
  );
  expect(html`${html`<i>${1}</i>`}${[html`<u></u>`, 'a<', 2n]}${false}${undefined}${0}`.toString()).toBe(
    '<i>1</i><u></u>a&lt;20',
  );
  expect(html`${trustedMarkup('<hr>')}`.toString()).toBe('<hr>');
});

test('replaces characters that are invalid in XML', () => {
  expect(escapeText('a\u0000\u0008\u000b\u001f\ufffe\ud800b\t\n\r')).toBe(
    'a\ufffd\ufffd\ufffd\ufffd\ufffd\ufffdb\t\n\r',
  );
  expect(escapeText('\ud83d\ude00 ä')).toBe('\ud83d\ude00 ä');
});

test('dates are in UTC', () => {
  expect([dayText(0), timeText(1_795_356_300), isoTime(1_795_356_300)]).toEqual([
    '1 Jan 1970',
    '22 Nov 2026, 14:05 UTC',
    '2026-11-22T14:05:00Z',
  ]);
  expect([countText(1, 'block'), countText(1200, 'block'), countText(0, 'block')]).toEqual([
    '1 block',
    '1,200 blocks',
    '0 blocks',
  ]);
});

test('the name of an asset has a hash of its content', () => {
  const folder = mkdtempSync(join(tmpdir(), 'wrkz-pages-'));
  const file = join(folder, 'a.css');
  writeFileSync(file, 'p {}');
  const first = loadAsset(file);
  writeFileSync(file, 'p { }');
  const second = loadAsset(file);
  rmSync(folder, { recursive: true });
  expect(first.path).toMatch(/^\/assets\/a\.[0-9a-f]{12}\.css$/);
  expect(second.name).not.toBe(first.name);
  expect(first.contentType).toBe('text/css; charset=utf-8');
  expect(() => loadAsset(join(folder, 'a.txt'))).toThrow(RangeError);
});

test.each([SUITE_STYLE, COPY_SCRIPT, SUITE_ICON])('%s loads nothing from other hosts', (file) => {
  const text = loadAsset(join(top, file)).bytes.toString();
  expect(text.replace('http://www.w3.org/2000/svg', '')).not.toMatch(/url\(\s*['"]?(?!#)|@import|https?:/);
});

test('the headers allow only files of this server', () => {
  const policy = PAGE_HEADERS['Content-Security-Policy'] ?? '';
  expect(policy.split('; ')[0]).toBe("default-src 'none'");
  expect(policy).not.toMatch(/unsafe|\*|https?:|data:/);
});

const SHELL = {
  site: 'Site',
  title: 'Title',
  description: 'About "it"',
  styles: ['/a.css'],
  scripts: ['/b.js'],
  icon: '/i.svg',
  navigation: [
    { href: '/', text: 'Home', current: true },
    { href: '/b?c&d', text: '<b>' },
  ],
  main: html`<h1>Title</h1>`,
  footer: 'foot',
};

test('the shell has landmarks, marks the current page, and has no inline style or script', () => {
  const page = pageShell(SHELL);
  expect(page).toMatch(/^<!doctype html>/);
  expect(page).toContain('<html lang="en">');
  expect(page).toContain('<title>Title · Site</title>');
  expect(page).toContain('content="About &quot;it&quot;"');
  expect(page).toMatch(/<a href="\/"\s+aria-current="page">Home<\/a>/);
  expect(page).toMatch(/<a href="\/b\?c&amp;d"\s*>&lt;b&gt;<\/a>/);
  expect(page).toContain('<script src="/b.js" defer></script>');
  expect(page).not.toMatch(/<style|style=|<script>|atom\+xml|class="notice"/);
  for (const landmark of ['<header', '<nav', '<main', '<footer']) expect(page.split(landmark)).toHaveLength(2);
});

test('the title of the front page is the site; feed and notice are optional', () => {
  const page = pageShell({ ...SHELL, title: 'Site', feed: { href: '/f', title: 'F' }, notice: 'Mind <this>' });
  expect(page).toContain('<title>Site</title>');
  expect(page).toContain('type="application/atom+xml" href="/f"');
  expect(page).toContain('Mind &lt;this&gt;');
});
