import { z } from 'zod';
import { BROWSER, LOOKS, openWatched, startBrowser } from '../../apps/proposals/test/support/browser';
import {
  bindRoutes,
  createHttpApp,
  createMemoryLogger,
  docsRoutes,
  type HttpServer,
  jsonRpcRoutes,
  methodDeclarer,
  type Route,
  type ServiceDescription,
  startHttpServer,
} from '../../packages/service-kit/src';

/* /docs of a service in a browser: the form of a JSON-RPC method works under the content security policy. */

const service: ServiceDescription<unknown, never> = {
  title: 'A service',
  version: '1',
  description: 'For tests.',
  errorBody: z.object({ error: z.string() }),
};
const OPEN = { key: false, limit: false };

const double = methodDeclarer<unknown>()({
  name: 'double',
  summary: 'Doubles a number.',
  params: z.object({ count: z.bigint().default(21n) }),
  result: z.object({ doubled: z.bigint() }),
  errors: [],
  handle: (_context, { count }) => ({ doubled: count * 2n }),
});

let server: HttpServer;

beforeAll(async () => {
  const methods = [double as never];
  const refuse = (): Error => new Error('refused');
  const routes: Route<unknown, never>[] = jsonRpcRoutes<unknown, never>({
    ...{ path: '/json_rpc', verbs: ['POST'], guards: OPEN, summary: 'JSON-RPC', errors: [], methods },
    request: z.object({ method: z.string(), params: z.unknown().optional(), id: z.unknown().optional() }),
    response: z.unknown(),
    invalid: refuse,
    unknownMethod: refuse,
  });
  routes.push(...docsRoutes(service, { routes: () => routes, methods: () => methods, guards: OPEN }));
  const app = createHttpApp({
    logger: createMemoryLogger(),
    refusalBody: ({ message }) => ({ error: message }),
    bodyLimit: 10_000,
    routes: bindRoutes(routes, undefined, { notJson: refuse, invalid: refuse }),
  });
  server = await startHttpServer({ app, listen: [{ host: '127.0.0.1', port: 0 }], logger: createMemoryLogger() });
});
afterAll(() => server.close(0));

const inBrowser = BROWSER === undefined ? test.skip : test;

inBrowser('a JSON-RPC method is shown and can be tried', async () => {
  const browser = await startBrowser();
  try {
    const origin = `http://127.0.0.1:${String(server.port)}`;
    const { page, offences, close } = await openWatched(browser, origin, LOOKS.wide);
    await page.goto(`${origin}/docs`);
    await page.getByText('Doubles a number.').or(page.locator('.opblock-summary').first()).first().waitFor();
    await page.locator('.opblock-summary').first().click();
    await page.getByText('Doubles a number.').waitFor();
    await page.getByRole('button', { name: 'Try it out' }).click();
    await page
      .locator('textarea.body-param__text')
      .fill('{"jsonrpc":"2.0","id":1,"method":"double","params":{"count":21}}');
    await page.getByRole('button', { name: 'Execute' }).click();
    await page.locator('.live-responses-table').getByText('"doubled": 42').first().waitFor();
    const picture = process.env['WALK_PICTURES'];
    if (picture !== undefined) await page.screenshot({ path: `${picture}/docs.png`, fullPage: true });
    await close();
    expect(offences).toEqual([]);
  } finally {
    await browser.close();
  }
});
