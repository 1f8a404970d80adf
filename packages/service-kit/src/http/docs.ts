import { readPackageFile } from '../assets';
import { stringifyJson } from './json';
import { openApiDocument, operationOfMethod, type ServiceDescription } from './openapi';
import { entityTag } from './routes/bind';
import { type Guards, Reply, type Route } from './routes/declaration';
import type { Method } from './routes/json-rpc';

/** A browser cannot send the key in a page load, and the page only contains public documentation. */
const NO_KEY: Guards = { key: false, limit: true };

/** Scripts and requests of the service only. Swagger UI sets style attributes and has icons in its style sheet. */
const PAGE_HEADERS = {
  'Content-Security-Policy': [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self' 'unsafe-inline'",
    "img-src 'self' data:",
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; '),
  'Referrer-Policy': 'no-referrer',
};

const JAVASCRIPT = 'text/javascript; charset=utf-8';
/** Content types of the files of Swagger UI, by their names below /docs. */
const FILES = { 'swagger-ui.css': 'text/css; charset=utf-8', 'swagger-ui-bundle.js': JAVASCRIPT };

const CACHING = 'public, max-age=3600';

export interface DocsOptions<Context, Labels> {
  readonly routes?: () => readonly Route<Context, Labels>[];
  readonly methods?: () => readonly Method<Context, Labels>[];
  /** Default: no key, with rate limit. */
  readonly guards?: Guards;
  readonly labels?: Labels;
}

/**
 * GET /docs: Swagger UI, from this service alone, in which requests can be tried. Each JSON-RPC method is an operation of its
 * own. The document is built at the first request; the lists may include these routes.
 */
export function docsRoutes<Context, Labels>(
  service: ServiceDescription<Context, Labels>,
  { routes, methods, guards = NO_KEY, labels }: DocsOptions<Context, Labels>,
): Route<Context, Labels>[] {
  const common = { method: 'GET', guards, ...(labels === undefined ? {} : { labels }), errors: [] } as const;
  return [
    {
      ...common,
      path: '/docs',
      summary: 'Documentation of this API as a page, in which requests can be tried.',
      response: { contentType: 'text/html; charset=utf-8', description: 'HTML page' },
      handle: () => new Reply(200, page(service.title), PAGE_HEADERS),
    },
    {
      ...common,
      path: '/docs/start.js',
      summary: 'Script of the page /docs.',
      response: { contentType: JAVASCRIPT, description: 'Start of Swagger UI with the document' },
      handle: once(() => startScript(documentOf(service, routes?.() ?? [], methods?.() ?? []))),
    },
    ...Object.entries(FILES).map(([name, contentType]) => ({
      ...common,
      path: `/docs/${name}`,
      summary: 'File of the page /docs.',
      response: { contentType, description: 'File of Swagger UI' },
      caching: CACHING,
      handle: once(() => {
        const bytes = readPackageFile(`swagger-ui-dist/${name}`);
        return new Reply(200, bytes, { ETag: entityTag(bytes) });
      }),
    })),
  ];
}

/** Computes a value at the first call. */
function once<T extends object | string>(compute: () => T): () => T {
  let made: T | undefined;
  return () => (made ??= compute());
}

function page(title: string): string {
  const escaped = title.replace(/[&<>]/g, (character) => `&#${character.charCodeAt(0)};`);
  return `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8" />
    <meta name="viewport" content="width=device-width, initial-scale=1" />
    <title>${escaped}</title>
    <link rel="icon" href="data:," />
    <link rel="stylesheet" href="/docs/swagger-ui.css" />
    <script src="/docs/swagger-ui-bundle.js" defer></script>
    <script src="/docs/start.js" defer></script>
  </head>
  <body>
    <main id="docs"></main>
  </body>
</html>
`;
}

function startScript(document: object): string {
  const options = {
    dom_id: '#docs',
    spec: document,
    deepLinking: true,
    displayRequestDuration: true,
    // The validator would send the document to another host.
    validatorUrl: null,
  };
  return `SwaggerUIBundle(${stringifyJson(options)});
`;
}

/** The OpenAPI document, with each method as a path `/json_rpc#<method>`: a browser sends it to /json_rpc. */
function documentOf<Context, Labels>(
  service: ServiceDescription<Context, Labels>,
  routes: readonly Route<Context, Labels>[],
  methods: readonly Method<Context, Labels>[],
): object {
  const shown = routes.filter(({ path }) => path !== '/docs' && (methods.length === 0 || path !== '/json_rpc'));
  const document = openApiDocument(service, shown);
  const operations = methods.map((method) => [
    `/json_rpc#${method.name}`,
    { post: operationOfMethod(service, method) },
  ]);
  return { ...document, paths: { ...document.paths, ...(Object.fromEntries(operations) as object) } };
}
