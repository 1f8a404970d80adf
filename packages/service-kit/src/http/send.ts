import type { Request, Response } from 'express';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { stringifyJson } from './stringify-json';

/** Answers shorter than this are not worth compressing. */
const GZIP_FROM_BYTES = 1024;
const gzipAsync = promisify(gzip);

/** True when the caller takes gzip (`Accept-Encoding` names gzip or *, not with q=0). */
export function acceptsGzip(request: Request): boolean {
  const header = request.headers['accept-encoding'];
  const entries = (Array.isArray(header) ? header.join(',') : (header ?? '')).toLowerCase().split(',');
  const quality = new Map(
    entries.map((entry) => {
      const [name = '', ...parameters] = entry.split(';').map((part) => part.trim());
      const q = parameters.find((parameter) => parameter.startsWith('q='));
      return [name, q === undefined ? 1 : Number(q.slice(2)) || 0] as const;
    }),
  );
  return (quality.get('gzip') ?? quality.get('*') ?? 0) > 0;
}

/**
 * Answers with JSON: bigints as integers, gzip (off the event loop) from 1024 bytes on when the caller takes it.
 * `value` undefined answers without a body. A string of finished JSON goes through `sendJsonText`.
 */
export async function sendJson(request: Request, response: Response, status: number, value: unknown): Promise<void> {
  if (value === undefined) {
    response.status(status).end();
    return;
  }
  await sendJsonText(request, response, status, stringifyJson(value));
}

/** `sendJson` for JSON that is finished text or UTF-8 bytes. */
export async function sendJsonText(
  request: Request,
  response: Response,
  status: number,
  text: string | Buffer,
): Promise<void> {
  response.status(status);
  response.setHeader('Content-Type', 'application/json');
  await sendBody(request, response, text);
}

/** An answer in a form of its own, such as a page. */
export class FinishedText {
  constructor(
    readonly contentType: string,
    readonly text: string | Buffer,
  ) {}
}

/** Answers with finished text or bytes of a content type; images and the like, which are compressed already, as they are. */
export async function sendFinished(
  request: Request,
  response: Response,
  status: number,
  { contentType, text }: FinishedText,
): Promise<void> {
  response.status(status);
  response.setHeader('Content-Type', contentType);
  if (COMPRESSIBLE.test(contentType)) return sendBody(request, response, text);
  response.setHeader('Content-Length', Buffer.byteLength(text));
  response.end(request.method === 'HEAD' ? undefined : text);
}

const COMPRESSIBLE = /^text\/|[+/](?:json|xml|javascript)\b/;

async function sendBody(request: Request, response: Response, text: string | Buffer): Promise<void> {
  const size = typeof text === 'string' ? Buffer.byteLength(text) : text.length;
  let body = text;
  if (size >= GZIP_FROM_BYTES) {
    body = typeof text === 'string' ? Buffer.from(text, 'utf8') : text;
    response.vary('Accept-Encoding');
    if (acceptsGzip(request)) {
      body = await gzipAsync(body, { level: 1 });
      response.setHeader('Content-Encoding', 'gzip');
    }
  }
  // A short text goes out with its head in one piece.
  response.setHeader('Content-Length', typeof body === 'string' ? size : body.length);
  response.end(request.method === 'HEAD' ? undefined : body);
}
