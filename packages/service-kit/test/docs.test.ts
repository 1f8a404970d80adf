import { z } from 'zod';
import { docsRoutes, methodDeclarer, type Route, routeDeclarer, type ServiceDescription } from '../src';
import { call, closeAll, serveApp } from './support/http-client';

afterEach(closeAll);

const service: ServiceDescription<unknown, never> = {
  title: 'A <service>',
  version: '9.8.7',
  description: 'For tests.',
  errorBody: z.object({ error: z.string() }),
};
const GUARDS = { key: true, limit: true };

const route = routeDeclarer<unknown>()({
  method: 'POST',
  path: '/sum',
  summary: 'Adds.',
  guards: GUARDS,
  body: z.object({ terms: z.array(z.bigint()) }),
  response: z.object({ sum: z.bigint() }),
  errors: [],
  handle: (_context, { body }) => ({ sum: body.terms.reduce((sum, term) => sum + term, 0n) }),
});
const method = methodDeclarer<unknown>()({
  name: 'getsum',
  summary: 'Adds.',
  params: z.object({ terms: z.array(z.bigint()) }),
  result: z.object({ sum: z.bigint() }),
  errors: [{ status: 200, code: -7, text: 'Full', when: 'There are too many.' }],
  handle: (_context, { terms }) => ({ sum: terms.reduce((sum, term) => sum + term, 0n) }),
});

async function served(): Promise<number> {
  const docs: Route<unknown, never>[] = docsRoutes(service, {
    routes: () => [route as never, ...docs],
    methods: () => [method as never],
  });
  const { port } = await serveApp(docs, { apiKey: { key: 'k' } });
  return port;
}

test('/docs and its files need no key, and load nothing from another host', async () => {
  const port = await served();
  const { status, text, headers } = await call(port, '/docs');
  expect([status, headers['content-type']]).toEqual([200, 'text/html; charset=utf-8']);
  expect(headers['content-security-policy']).toContain("default-src 'none'; script-src 'self'");
  expect(text).toContain('<title>A &#60;service&#62;</title>');
  const files = [...text.matchAll(/(?:href|src)="(\/[^"]*)"/g)].map(([, path = '']) => path);
  expect(files).toEqual(['/docs/swagger-ui.css', '/docs/swagger-ui-bundle.js', '/docs/start.js']);
  for (const path of files) expect([path, (await call(port, path)).status]).toEqual([path, 200]);
  expect(text).not.toMatch(/https?:/);
});

test('the document has each route, and each JSON-RPC method as a separate operation', async () => {
  const { text } = await call(await served(), '/docs/start.js');
  const [, json = ''] = /^SwaggerUIBundle\((.*)\);\n$/s.exec(text) ?? [];
  const { spec, validatorUrl } = JSON.parse(json) as { spec: { paths: Record<string, object> }; validatorUrl: null };
  expect(validatorUrl).toBeNull();
  expect(Object.keys(spec.paths)).toEqual(['/sum', '/json_rpc#getsum']);
  expect(spec.paths['/json_rpc#getsum']).toMatchObject({
    post: {
      summary: 'getsum',
      description: 'Adds.\n\n- -7 Full: There are too many.',
      requestBody: { content: { 'application/json': { schema: { properties: { method: { const: 'getsum' } } } } } },
    },
  });
});
