import type { IncomingMessage, ServerResponse } from 'node:http';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import vary from 'vary';
import { stringifyJson } from './json';

const MIN_GZIP_BYTES = 1024;
const gzipAsync = promisify(gzip);

/** A response body with its content type, such as an HTML page. */
export class FinishedText {
  constructor(
    readonly contentType: string,
    readonly text: string | Buffer,
  ) {}
}

/** Content types that are not compressed already. */
const COMPRESSIBLE = /^text\/|[+/](?:json|xml|javascript)\b|^application\/octet-stream$/;

/** The q value of each entry of an Accept header, in lower case. */
function qualitiesIn(header: string | readonly string[] = ''): ReadonlyMap<string, number> {
  const entries = (typeof header === 'string' ? header : header.join(',')).toLowerCase().split(',');
  return new Map(
    entries.map((entry) => {
      const [name = '', ...parameters] = entry.split(';').map((part) => part.trim());
      const q = parameters.find((parameter) => parameter.startsWith('q='));
      return [name, q === undefined ? 1 : Number(q.slice(2)) || 0] as const;
    }),
  );
}

/** Whether the client accepts gzip: `Accept-Encoding` has gzip or *, without q=0. */
export function acceptsGzip({ headers }: IncomingMessage): boolean {
  const qualities = qualitiesIn(headers['accept-encoding']);
  return (qualities.get('gzip') ?? qualities.get('*') ?? 0) > 0;
}

/** Whether `Accept` names application/octet-stream, without q=0. */
export function acceptsBytes({ headers }: IncomingMessage): boolean {
  return (qualitiesIn(headers.accept).get('application/octet-stream') ?? 0) > 0;
}

/** Whether clients that accept gzip get the body compressed. Sets Vary then, which a 304 needs, too. */
export function variesByEncoding(response: ServerResponse, { contentType, text }: FinishedText): boolean {
  const varies = Buffer.byteLength(text) >= MIN_GZIP_BYTES && COMPRESSIBLE.test(contentType);
  if (varies) vary(response, 'Accept-Encoding');
  return varies;
}

/** Sends a value as JSON with bigints as integers; undefined sends no body. */
export async function sendJson(
  request: IncomingMessage,
  response: ServerResponse,
  status: number,
  value: unknown,
): Promise<void> {
  response.statusCode = status;
  if (value === undefined) response.end();
  else await sendText(request, response, status, new FinishedText('application/json', stringifyJson(value)));
}

/** Sends text or bytes; from 1024 bytes on with gzip, off the event loop, if the client accepts it. */
export async function sendText(
  request: IncomingMessage,
  response: ServerResponse,
  status: number,
  finished: FinishedText,
): Promise<void> {
  const { contentType, text } = finished;
  response.statusCode = status;
  response.setHeader('Content-Type', contentType);
  let body = text;
  if (variesByEncoding(response, finished) && acceptsGzip(request)) {
    body = await gzipAsync(text, { level: 1 });
    response.setHeader('Content-Encoding', 'gzip');
  }
  // A short text is sent together with the header.
  response.setHeader('Content-Length', Buffer.byteLength(body));
  response.end(request.method === 'HEAD' ? undefined : body);
}
