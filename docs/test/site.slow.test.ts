import { execFile } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { extname, join } from 'node:path';
import { promisify } from 'node:util';
import { BROWSER, LOOKS, openWatched, startBrowser, type WatchedPage } from '../../apps/proposals/test/support/browser';
import { repositoryFiles, TOP } from './repository';

/*
 * Builds the site and opens every page in a browser, wide and on a phone, light and dark. With the environment variable
 * WALK_PICTURES a screenshot of each page is written to that folder.
 */

const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.json': 'application/json',
  '.svg': 'image/svg+xml',
};

let folder: string;
let files: ReadonlySet<string>;
let pages: readonly string[];
let server: Server;
let origin: string;
let browser: Awaited<ReturnType<typeof startBrowser>>;

/** The file that a static server returns for the path of an address. */
const fileOf = (path: string): string => (path.endsWith('/') ? `${path}index.html` : path).slice(1);

beforeAll(async () => {
  if (BROWSER === undefined) return;
  folder = mkdtempSync(join(tmpdir(), 'wrkz-site-'));
  const cli = join(TOP, 'node_modules/vitepress/bin/vitepress.js');
  await promisify(execFile)(process.execPath, [cli, 'build', join(TOP, 'docs'), '--outDir', folder]);
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  files = new Set(entries.map(({ name, parentPath }) => join(parentPath, name).slice(folder.length + 1)));
  pages = [...files].filter((file) => file.endsWith('.html') && file !== '404.html');
  server = createServer(({ url = '' }, response) => {
    const file = fileOf(new URL(url, 'http://site').pathname);
    if (!files.has(file)) return response.writeHead(404).end();
    const headers = { 'Content-Type': TYPES[extname(file)] ?? 'application/octet-stream' };
    return response.writeHead(200, headers).end(readFileSync(join(folder, file)));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  origin = `http://127.0.0.1:${String((server.address() as AddressInfo).port)}`;
  browser = await startBrowser();
});
afterAll(async () => {
  if (BROWSER === undefined) return;
  await browser.close();
  server.closeAllConnections();
  server.close();
  rmSync(folder, { recursive: true });
});

/** The first group of each match. */
const captures = (text: string, pattern: RegExp): string[] =>
  [...text.matchAll(pattern)].map(([, found = '']) => found);

/** Opens a page and waits until its scripts run. */
async function open(page: WatchedPage['page'], file: string): Promise<void> {
  await page.goto(`${origin}/${file}`);
  await page.waitForFunction('document.querySelector("#app")?.__vue_app__ !== undefined');
}

const inBrowser = BROWSER === undefined ? describe.skip : describe;

inBrowser('the built site', () => {
  test('has a page for every document in docs/', () => {
    const documents = repositoryFiles().filter(({ path }) => /^docs\/.*\.md$/.test(path));
    const expected = documents.map(({ path }) =>
      path
        .slice(5)
        .replace(/(README)?\.md$/, '')
        .replace(/\/$/, '/index'),
    );
    expect(expected.filter((path) => !files.has(`${path}.html`))).toEqual([]);
    expect(expected.length).toBeGreaterThan(50);
  });

  test('has no dead link and no duplicate anchor', () => {
    const htmlOf = new Map(pages.map((file) => [file, readFileSync(join(folder, file), 'utf8')]));
    const anchorsOf = new Map([...htmlOf].map(([file, html]) => [file, captures(html, / id="([^"]+)"/g)]));
    const links = [...htmlOf].flatMap(([from, html]) =>
      captures(html, /<a [^>]*?href="([^"]+)"/g).map((href) => ({ from, url: new URL(href, `${origin}/${from}`) })),
    );
    const inside = links.filter(({ url }) => url.origin === origin);
    const dead = inside.filter(({ url }) => {
      const file = fileOf(url.pathname);
      const anchor = decodeURIComponent(url.hash.slice(1));
      return !files.has(file) || (anchor !== '' && anchorsOf.get(file)?.includes(anchor) !== true);
    });
    expect(dead.map(({ from, url }) => `${from}: ${url.pathname}${url.hash}`)).toEqual([]);
    expect(inside.length).toBeGreaterThan(1000);
    const duplicates = [...anchorsOf].filter(([, anchors]) => new Set(anchors).size < anchors.length);
    expect(duplicates.map(([from]) => from)).toEqual([]);
  });

  describe.each(Object.entries(LOOKS))('%s', (look, options) => {
    test('every page fits its window, logs no error and requests no other host', async () => {
      const { page, offences, close } = await openWatched(browser, origin, options);
      const faults: string[] = [];
      for (const file of pages) {
        await open(page, file);
        const [needed, given] = await page.evaluate<[number, number]>(
          '[document.documentElement.scrollWidth, document.documentElement.clientWidth]',
        );
        if (needed > given) faults.push(`${file}: ${needed} px wide in a window of ${given} px`);
        if ((await page.locator('h1').count()) !== 1) faults.push(`${file}: not exactly one h1`);
        const pictures = process.env['WALK_PICTURES'];
        const name = `${look} ${file}.png`.replace(/[^\w.]+/g, '-');
        if (pictures !== undefined) await page.screenshot({ path: join(pictures, name) });
        faults.push(...offences.splice(0).map((offence) => `${file}: ${offence}`));
      }
      await close();
      expect(faults).toEqual([]);
    });

    test('search finds a page by a word of its text', async () => {
      const { page, offences, close } = await openWatched(browser, origin, options);
      await open(page, 'protocol/index.html');
      await page.locator('#local-search button').click();
      await page.locator('#localsearch-input').fill('checkpoints');
      await page.locator('#localsearch-list a').first().click();
      await page.waitForURL((url) => url.pathname !== '/protocol/index.html');
      await page.locator('main').getByText('checkpoints').first().waitFor();
      await close();
      expect(offences).toEqual([]);
    });
  });
});
