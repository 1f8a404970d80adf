import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import axe, { type Result } from 'axe-core';
import jsQR from 'jsqr';
import { chromium, type Browser, type BrowserContextOptions, type Locator, type Page } from 'playwright-core';
import { PNG } from 'pngjs';

/** Path of Debian's chromium, or of Chromium under other names; undefined if not installed. */
export const BROWSER = ['chromium', 'chromium-browser', 'google-chrome']
  .flatMap((name) => (process.env['PATH'] ?? '').split(delimiter).map((folder) => join(folder, name)))
  .find((file) => existsSync(file));

export async function startBrowser(): Promise<Browser> {
  // The first start on a busy machine is slow.
  return chromium.launch({ executablePath: BROWSER ?? '', args: ['--no-sandbox'], timeout: 120_000 });
}

/** Screen sizes and colour schemes. */
export const LOOKS = {
  wide: { viewport: { width: 1280, height: 900 }, colorScheme: 'light' },
  'wide, dark': { viewport: { width: 1280, height: 900 }, colorScheme: 'dark' },
  phone: { viewport: { width: 360, height: 740 }, colorScheme: 'light', hasTouch: true },
  'phone, dark': { viewport: { width: 360, height: 740 }, colorScheme: 'dark', hasTouch: true },
} as const satisfies Record<string, BrowserContextOptions>;

/** A page, and its violations of rules for all pages. */
export interface WatchedPage {
  readonly page: Page;
  /** Violations of the content security policy, errors, dialogs, popups, and requests to other hosts. */
  readonly offences: string[];
  close(): Promise<void>;
}

/** Opens a page whose violations are recorded from its first request on. */
export async function openWatched(
  browser: Browser,
  origin: string,
  options: BrowserContextOptions,
): Promise<WatchedPage> {
  const context = await browser.newContext(options);
  const offences: string[] = [];
  await context.exposeFunction('reportViolation', (text: string) => void offences.push(text));
  await context.addInitScript(
    "addEventListener('securitypolicyviolation', (e) => reportViolation('policy: ' + e.violatedDirective + ' ' + e.blockedURI))",
  );
  const page = await context.newPage();
  page.on('pageerror', (error) => offences.push(`error: ${error.message}`));
  page.on('dialog', (dialog) => {
    offences.push(`dialog: ${dialog.message()}`);
    void dialog.dismiss();
  });
  page.on('console', (message) => {
    if (message.type() === 'error') offences.push(`console: ${message.text()}`);
  });
  page.on('request', (request) => {
    if (new URL(request.url()).origin !== origin) offences.push(`request: ${request.url()}`);
  });
  page.on('popup', () => offences.push('popup'));
  return { page, offences, close: () => context.close() };
}

/** All violations that axe finds, including minor and undecided ones. */
export async function accessibilityFindings(page: Page): Promise<string[]> {
  await page.evaluate(axe.source);
  const { violations, incomplete } = await page.evaluate<{ violations: Result[]; incomplete: Result[] }>(
    'axe.run(document, { resultTypes: ["violations", "incomplete"] })',
  );
  return [...violations, ...incomplete].flatMap(({ id, nodes }) =>
    nodes.map(({ target }) => `${id}: ${target.join(' ')}`),
  );
}

/** The text of a QR code in a screenshot of a part of a page. */
export async function seenCode(part: Locator): Promise<string | undefined> {
  const { width, height, data } = PNG.sync.read(await part.screenshot());
  return jsQR(new Uint8ClampedArray(data), width, height)?.data;
}
