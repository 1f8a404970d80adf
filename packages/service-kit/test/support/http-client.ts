import {
  type IncomingHttpHeaders,
  type IncomingMessage,
  request,
  type RequestOptions,
  type ServerResponse,
} from 'node:http';
import {
  RESPONSE_SENT,
  bindRoutes,
  createHttpApp,
  createMemoryLogger,
  type Guards,
  HttpAppOptions,
  HttpError,
  HttpServer,
  HttpServerOptions,
  type Route,
  type RouteRequest,
  type RouteRules,
  startHttpServer,
  type Verb,
} from '../../src';

export interface Answer {
  status: number;
  headers: IncomingHttpHeaders;
  body: Buffer;
  text: string;
}

/** Sends one request to a loopback port over a new connection. */
export function call(
  port: number,
  path: string,
  options: RequestOptions & { body?: string | Buffer } = {},
): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const { body, ...rest } = options;
    const sent = request({ host: '127.0.0.1', port, path, agent: false, ...rest }, (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('error', reject);
      response.on('end', () => {
        const bytes = Buffer.concat(chunks);
        resolve({ status: response.statusCode ?? 0, headers: response.headers, body: bytes, text: bytes.toString() });
      });
    });
    sent.on('error', reject);
    sent.end(body);
  });
}

const open: HttpServer[] = [];

/** Starts a server on a free port; `closeAll` ends it. */
export async function serve(
  app: HttpServerOptions['app'],
  options: Partial<HttpServerOptions> = {},
): Promise<HttpServer> {
  const server = await startHttpServer({
    app,
    listen: [{ host: '127.0.0.1', port: 0 }],
    logger: createMemoryLogger(),
    ...options,
  });
  open.push(server);
  return server;
}

/** A route whose handler writes the response itself; by default guarded by key and rate limit. */
export function raw(
  method: Verb,
  path: string,
  handle: (request: IncomingMessage, response: ServerResponse) => unknown,
  guards: Guards = { key: true, limit: true },
): Route {
  return {
    method,
    path,
    summary: 'A route of a test.',
    guards,
    response: { contentType: 'text/plain', description: 'text' },
    errors: [],
    handle: async (_context, { http }: RouteRequest) => {
      await handle(http.request, http.response);
      return RESPONSE_SENT;
    },
  };
}

/** Error texts for requests that violate a declaration. */
export const rules: RouteRules<unknown, unknown> = {
  notJson: (text) => new HttpError(400, 'not_json', `not JSON: ${text}`),
  invalid: ({ path, kind, expected }, row) =>
    new HttpError(400, 'invalid', kind === 'value' && row ? row.text : `${path.join('.')}: ${kind}, ${expected}`),
};

/** Serves an app of createHttpApp whose error bodies have `code` and `message`. */
export async function serveApp(
  routes: readonly Route[],
  options: Partial<HttpAppOptions> = {},
): Promise<{ port: number }> {
  return serve(
    createHttpApp({
      logger: createMemoryLogger(),
      refusalBody: ({ code, message }) => ({ code, message }),
      bodyLimit: 1000,
      routes: bindRoutes(routes, undefined, rules),
      ...options,
    }),
  );
}

export async function closeAll(): Promise<void> {
  await Promise.all(open.splice(0).map((server) => server.close(0)));
}
