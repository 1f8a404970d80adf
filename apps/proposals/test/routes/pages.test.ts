import { donationAddress, startService, stopAll, type RunningService } from '../support/service';
import { send } from '../support/http-client';

/* The HTML of the pages and the feed. pages/browser.test.ts tests them in a browser. */

afterAll(stopAll);

let service: RunningService;
const page = async (path: string) => (await send(service.url, path)).text;
const headlines = (html: string) => [...html.matchAll(/<a href="\/proposal\/(\d+)">/g)].map(([, id]) => Number(id));

beforeAll(async () => {
  service = await startService(['--rate-limit', '0']);
  for (let i = 1; i <= 23; i++)
    service.add({
      posted: `2026-01-${String(i).padStart(2, '0')}`,
      status: i % 2 === 0 ? 'funding' : 'proposal',
      category: i > 20 ? 'core' : 'misc',
    });
  service.add({ headline: 'One that was taken back', status: 'disabled', posted: '2026-03-01' });
  service.add({
    headline: '<script>alert(1)</script> "quoted" & more',
    user: "<b>'x'</b>",
    status: 'completed',
    posted: '2026-02-01',
    address: donationAddress('done'),
  });
});

test('lists proposals newest first, in pages of 20, without disabled ones', async () => {
  const first = await page('/');
  expect(headlines(first)).toEqual([25, ...Array.from({ length: 19 }, (_, i) => 23 - i)]);
  expect(first).toContain('Page 1 of 2');
  expect(first).toContain('href="/?page=2"');
  expect(headlines(await page('/?page=2'))).toEqual([4, 3, 2, 1]);
  expect(await page('/?page=9')).toContain('Nothing on this page');
});

test('pages beyond the maximum, and amounts above the supply, are refused', async () => {
  const statuses = ['/?page=100000', '/?page=100001', '/?page=0', '/proposal/1/qr.svg?amount=10000000000000']
    .concat('/proposal/1/qr.svg?amount=10000000000000.01', '/proposal/1/qr.png?amount=0')
    .map(async (path) => (await send(service.url, path)).status);
  expect(await Promise.all(statuses)).toEqual([200, 404, 404, 200, 400, 400]);
});

test('filters by status and category, with their counts', async () => {
  const core = await page('/?status=funding&cat=core');
  expect(headlines(core)).toEqual([22]);
  expect(core.replace(/\s+/g, ' ')).toContain('Proposed <span class="count">2</span>');
  expect(await page('/?status=wip')).toContain('No proposal matches');
});

test('user text is escaped in the list, on its page, in its title and in the feed', async () => {
  for (const path of ['/', '/proposal/25', '/feed.xml']) {
    const html = await page(path);
    expect(html).not.toMatch(/<script>alert|<b>/);
    expect(html).toContain('&lt;script&gt;alert(1)&lt;/script&gt; &quot;quoted&quot; &amp; more');
  }
});

test('a disabled or completed proposal shows no donation address', async () => {
  for (const id of [24, 25]) expect(await page(`/proposal/${id}`)).not.toContain('id="donate"');
  expect(await page('/proposal/1')).toContain('id="donate"');
  expect(await page('/proposal/24')).toContain('Disabled');
});

test('no page contains a style, an inline script, an event handler or a foreign URL', async () => {
  for (const path of ['/', '/?status=wip', '/proposal/1', '/proposal/25?amount=5', '/about', '/nothing']) {
    const html = await page(path);
    expect(html).not.toMatch(
      /\sstyle=|<style|\son[a-z]+=|<script(?! src="\/assets\/copy\.[0-9a-f]{12}\.js" defer><\/script>)/i,
    );
    expect(html).not.toMatch(/(src|href|action)="(https?:)?\/\//);
  }
});

test('the feed has the newest proposals, with stable ids, and is well-formed', async () => {
  const feed = await page('/feed.xml');
  expect(feed).toMatch(/^<\?xml version="1\.0" encoding="utf-8"\?>\n<feed xmlns="http:\/\/www\.w3\.org\/2005\/Atom"/);
  expect([...feed.matchAll(/<entry>/g)]).toHaveLength(24);
  expect(feed).toContain('<id>urn:wrkz:proposal:mainnet:25</id>');
  expect(feed).toContain('<updated>2026-02-01T00:00:00Z</updated>');
  const open: string[] = [];
  for (const [, slash, name = '', rest = ''] of feed.matchAll(/<(\/?)([a-z]+)([^>]*)>/g)) {
    if (slash === '/') expect(open.pop()).toBe(name);
    else if (!rest.endsWith('/')) open.push(name);
  }
  expect(open).toEqual([]);
});

test('an unchanged page is not sent again', async () => {
  const { headers } = await send(service.url, '/proposal/1');
  const again = await send(service.url, '/proposal/1', { headers: { 'if-none-match': String(headers['etag']) } });
  expect([again.status, again.text]).toEqual([304, '']);
});

test('the style sheet and the script are cacheable forever, and are not rate-limited', async () => {
  const [path = ''] = /\/assets\/suite\.[0-9a-f]{12}\.css/.exec(await page('/')) ?? [];
  const { status, headers } = await send(service.url, path);
  expect([status, headers['cache-control'], headers['content-type']]).toEqual([
    200,
    'public, max-age=31536000, immutable',
    'text/css; charset=utf-8',
  ]);
  expect(headers['ratelimit-limit']).toBeUndefined();
});
