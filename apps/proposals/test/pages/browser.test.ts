import type { Browser } from 'playwright-core';
import { ATTACKS } from '../support/attacks';
import {
  accessibilityFindings,
  BROWSER,
  LOOKS,
  openWatched,
  seenCode,
  startBrowser,
  type WatchedPage,
} from '../support/browser';
import { donationAddress, startService, stopAll, type RunningService } from '../support/service';

/* The pages in Debian's chromium. */

const inBrowser = BROWSER === undefined ? describe.skip : describe;

/** Dispatches on every element the events that injected handlers would react to. */
const TRIGGER_EVENTS = `for (const part of document.querySelectorAll('main, main *'))
  for (const name of ['pointerover', 'mouseover', 'mouseenter', 'focus', 'toggle']) part.dispatchEvent(new Event(name, { bubbles: true }));`;
/** Number of hostile texts per page. */
const PER_PAGE = 12;

const TEXT = `# What will be there

Some *words* and a [link](https://a.example/), \`code\` and more.

| Step | Until | Share |
| --- | --- | ---: |
| One that has a long name | January | 40 % |

### Further down

\`\`\`
a line of code that is much longer than the screen of any phone, so that it has to be moved to and fro to be read
\`\`\`

1. one
2. two

> quoted

- ${'averylongwordwithoutabreak'.repeat(12)}
`;

inBrowser('in a browser', () => {
  let browser: Browser;
  let demo: RunningService;
  let service: RunningService;
  let empty: RunningService;
  const opened: WatchedPage[] = [];
  const address = donationAddress('in the browser');

  beforeAll(async () => {
    [browser, demo, service, empty] = await Promise.all([
      startBrowser(),
      startService(['--demo', '--rate-limit', '0']),
      startService(['--rate-limit', '0']),
      startService(['--rate-limit', '0']),
    ]);
    service.add(
      {
        headline: 'A proposal with every kind of text',
        address,
        status: 'funding',
        category: 'core',
        target: '1234567.89',
      },
      TEXT,
    );
    service.add({ headline: 'Another one, of another kind', status: 'wip', category: 'design' });
  });
  afterEach(async () => {
    for (const watched of opened.splice(0)) {
      await watched.close();
      expect(watched.offences).toEqual([]);
    }
  });
  afterAll(async () => {
    await browser?.close();
    await stopAll();
  });

  async function open(at: RunningService, options: Parameters<typeof openWatched>[2] = LOOKS.wide) {
    const watched = await openWatched(browser, at.url, options);
    opened.push(watched);
    return watched.page;
  }

  test('a visitor finds a proposal by the filters, opens it, copies its address, and goes back', async () => {
    const page = await open(service, { ...LOOKS.wide, permissions: ['clipboard-read', 'clipboard-write'] });
    await page.goto(service.url);
    expect(await page.getByRole('heading', { level: 3 }).allTextContents()).toHaveLength(2);
    await page.getByRole('link', { name: /^Funding 1$/ }).click();
    await page.getByRole('link', { name: 'Core', exact: true }).click();
    expect(page.url()).toBe(`${service.url}/?status=funding&cat=core`);
    expect(await page.getByRole('link', { name: /^Funding 1$/ }).getAttribute('aria-current')).toBe('true');
    await page.getByRole('link', { name: 'A proposal with every kind of text' }).click();
    await page.getByRole('heading', { level: 1, name: 'A proposal with every kind of text' }).waitFor();
    await page.getByRole('button', { name: 'Copy the address' }).click();
    await page.getByRole('status').getByText('Copied to the clipboard.').waitFor();
    expect(await page.evaluate('navigator.clipboard.readText()')).toBe(address);
    await page.getByRole('link', { name: 'All proposals' }).click();
    expect(page.url()).toBe(`${service.url}/`);
  });

  test('copies with the older method without the clipboard API', async () => {
    const page = await open(service);
    await page.addInitScript("Object.defineProperty(navigator, 'clipboard', { value: undefined })");
    await page.addInitScript("addEventListener('copy', () => { window.copied = String(getSelection()) })");
    await page.goto(`${service.url}/proposal/1`);
    await page.getByRole('button', { name: 'Copy the address' }).click();
    await page.getByRole('status').getByText('Copied to the clipboard.').waitFor();
    expect(await page.evaluate('window.copied')).toBe(address);
  });

  describe.each(Object.entries(LOOKS))('%s', (name, look) => {
    // Tests of single pages run with one look, tests of the layout with every look.
    const isThorough = name === 'phone, dark';
    const more = isThorough
      ? ['/?status=wip', '/?status=completed', '/proposal/1?amount=5', '/proposal/2?amount=x', '/about']
      : [];

    test('axe finds no violation, and nothing overflows the screen', async () => {
      const places: [RunningService, string[]][] = [[service, ['/', '/proposal/1', ...more]]];
      if (isThorough) places.push([demo, ['/', '/proposal/1', '/proposal/4']], [empty, ['/']]);
      else if (name === 'wide') places.push([demo, ['/proposal/1']]);
      for (const [at, paths] of places) {
        const page = await open(at, look);
        for (const path of paths) {
          await page.goto(at.url + path);
          expect([path, await accessibilityFindings(page)]).toEqual([path, []]);
          const fits = await page.evaluate('document.documentElement.scrollWidth <= innerWidth');
          expect([path, fits]).toEqual([path, true]);
        }
      }
    });

    // Two of the four looks cover both colour schemes and both sizes.
    if (!isThorough && name !== 'wide') return;
    test('the whole list of contributions is visible', async () => {
      const page = await open(demo, look);
      await page.goto(`${demo.url}/proposal/1`);
      const hidden = await page.evaluate(
        "(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth)(document.querySelector('.contributions .scroll'))",
      );
      expect(hidden).toBe(0);
    });

    test('the displayed QR code contains the address, and with an amount the payment', async () => {
      const page = await open(service, look);
      await page.goto(`${service.url}/proposal/1`);
      const image = page.getByRole('img', { name: 'QR code of the donation address' });
      expect(await seenCode(image)).toBe(address);
      await page.getByLabel('QR code with an amount, in WRKZ').fill('250.5');
      await page.getByRole('button', { name: 'Show' }).click();
      const payment = page.getByRole('img', { name: 'QR code of a payment of 250.50 WRKZ to this proposal' });
      expect(await seenCode(payment)).toBe(`wrkz:${address}?amount=250.50`);
    });
  });

  test('an unknown path shows the page for 404', async () => {
    const watched = await openWatched(browser, service.url, LOOKS.phone);
    const response = await watched.page.goto(`${service.url}/nothing`);
    expect(response?.status()).toBe(404);
    expect(await accessibilityFindings(watched.page)).toEqual([]);
    await watched.page.getByRole('link', { name: 'To the proposals' }).click();
    expect(watched.page.url()).toBe(`${service.url}/`);
    await watched.close();
    expect(watched.offences).toEqual([
      'console: Failed to load resource: the server responded with a status of 404 (Not Found)',
    ]);
  });

  test('the keyboard reaches every control, the link that skips the navigation first', async () => {
    const page = await open(service);
    await page.goto(`${service.url}/proposal/1`);
    await page.keyboard.press('Tab');
    const focused = () =>
      page.evaluate(
        "document.activeElement.textContent.trim() || document.activeElement.id || document.activeElement.getAttribute('aria-label') || document.activeElement.className",
      );
    expect(await focused()).toBe('Skip to the content');
    await page.keyboard.press('Enter');
    expect(await page.evaluate('document.activeElement.id')).toBe('main');
    const reached: unknown[] = [];
    for (let i = 0; i < 20; i++) {
      await page.keyboard.press('Tab');
      reached.push(await focused());
    }
    expect(reached).toEqual(
      expect.arrayContaining(['All proposals', 'link', 'Copy the address', 'Open in a wallet', 'amount', 'Show']),
    );
  });

  test('everything works without JavaScript', async () => {
    const context = await browser.newContext({ ...LOOKS.phone, javaScriptEnabled: false });
    const page = await context.newPage();
    await page.goto(service.url);
    await page.getByRole('link', { name: /^Funding 1$/ }).click();
    await page.getByRole('link', { name: 'A proposal with every kind of text' }).click();
    expect(await page.getByRole('button', { name: 'Copy the address' }).isVisible()).toBe(false);
    expect(await page.locator('#address').textContent()).toBe(address);
    await page.getByLabel('QR code with an amount, in WRKZ').fill('7');
    await page.getByRole('button', { name: 'Show' }).click();
    expect(await seenCode(page.locator('img.qr'))).toBe(`wrkz:${address}?amount=7.00`);
    await context.close();
  });

  test('texts with attacks are displayed and have no effect', async () => {
    const { url, add } = await startService(['--rate-limit', '0']);
    // markdown.test.ts renders each attack alone; here a page has several, separated by paragraphs.
    const texts = ATTACKS.filter((text) => text.length < 1_000).map((text) =>
      text.replace(/[^\P{Cc}\n\t]|\u202e/gu, ' '),
    );
    const pages = Array.from({ length: Math.ceil(texts.length / PER_PAGE) }, (_, i) =>
      texts.slice(i * PER_PAGE, (i + 1) * PER_PAGE),
    );
    const ids = pages.map((some, i) =>
      add(
        {
          headline: `Attack ${i} <img src=x onerror=hit=1> ${'W'.repeat(100)}`,
          user: 'W'.repeat(19),
          target: '10000000000000',
        },
        some.map((text) => `${text}\n\nand words\n\n`).join(''),
      ),
    );
    const watched = await openWatched(browser, url, LOOKS.phone);
    for (const path of ['/', ...ids.map((id) => `/proposal/${id}`)]) {
      await watched.page.goto(url + path);
      await watched.page.evaluate(TRIGGER_EVENTS);
      expect(
        await watched.page.evaluate(
          '[window.hit, document.title.includes("Proposals"), document.querySelectorAll("main").length]',
        ),
      ).toEqual([undefined, true, 1]);
      const fits = await watched.page.evaluate('document.documentElement.scrollWidth <= innerWidth');
      expect([path, fits]).toEqual([path, true]);
      expect(
        await watched.page
          .locator('.prose')
          .locator('script, style, img, svg, iframe, form, input, object, embed, link, meta, base')
          .count(),
      ).toBe(0);
    }
    await watched.close();
    expect(watched.offences).toEqual([]);
  });
});
