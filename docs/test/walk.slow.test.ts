import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { extname } from 'node:path';
import { BROWSER, LOOKS, openWatched, startBrowser } from '../../apps/proposals/test/support/browser';
import { buildSite } from '../site/build';

/*
 * Every page of the site in a browser: wide and on a phone, light and dark. A page
 * may say nothing on the console, ask no other host, and be no wider than its window. With the environment variable
 * WALK_PICTURES a picture of each is left in that folder.
 */

jest.setTimeout(900_000);

/** The site stands below a path, as on a host that has other sites too. */
const BASE = '/some/where/';
const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.json': 'application/json',
  '.svg': 'image/svg+xml',
};

const site = buildSite();
const pages = [...site.keys()].filter((path) => path.endsWith('.html'));

let server: Server;
let origin: string;
let browser: Awaited<ReturnType<typeof startBrowser>>;

beforeAll(async () => {
  server = createServer(({ url = '' }, response) => {
    const path = url.startsWith(BASE) ? (url.slice(BASE.length).split('?')[0] ?? '') : '';
    const bytes = site.get(path);
    return bytes === undefined
      ? response.writeHead(404).end()
      : response.writeHead(200, { 'Content-Type': TYPES[extname(path)] ?? 'text/plain' }).end(bytes);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  origin = `http://127.0.0.1:${String((server.address() as AddressInfo).port)}`;
  if (BROWSER !== undefined) browser = await startBrowser();
});
afterAll(async () => {
  await browser?.close();
  server.closeAllConnections();
  server.close();
});

const inBrowser = BROWSER === undefined ? describe.skip : describe;

inBrowser.each(Object.entries({ ...LOOKS, phone: { ...LOOKS.phone, viewport: { width: 390, height: 844 } } }))(
  '%s',
  (look, options) => {
    const all = pages.map((path) => BASE + path);

    test('every page keeps to its window and does nothing that no page may do', async () => {
      const { page, offences, close } = await openWatched(browser, origin, options);
      const faults: string[] = [];
      for (const path of all) {
        const answer = await page.goto(origin + path);
        if (answer?.status() !== 200) faults.push(`${path}: ${String(answer?.status())}`);
        const [needed, given] = await page.evaluate<[number, number]>(
          '[document.documentElement.scrollWidth, document.documentElement.clientWidth]',
        );
        if (needed > given) faults.push(`${path}: ${String(needed)} wide in ${String(given)}`);
        if ((await page.locator('h1').count()) !== 1) faults.push(`${path}: not one title`);
        const folder = process.env['WALK_PICTURES'];
        const name = `${look} ${path}.png`.replace(/[^\w.]+/g, '-');
        if (folder !== undefined) await page.screenshot({ path: `${folder}/${name}` });
        faults.push(...offences.splice(0).map((offence) => `${path}: ${offence}`));
      }
      await close();
      expect(faults).toEqual([]);
      expect(all.length).toBeGreaterThan(50);
    });

    test('the search finds, and leads there', async () => {
      const { page, offences, close } = await openWatched(browser, origin, options);
      await page.goto(`${origin}${BASE}protocol/blocks.html`);
      await page.fill('#search', 'size penalty');
      const first = page.locator('.found a').first();
      await first.waitFor();
      await first.click();
      await page.waitForURL('**/difficulty-and-reward.html#size-penalty');
      await page.fill('#search', 'xyzzyqqq');
      await page.getByText('Nothing found').waitFor();
      await close();
      expect(offences).toEqual([]);
    });
  },
);
