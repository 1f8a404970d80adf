import type { IncomingMessage } from 'node:http';
import type { RequestHandler } from 'express';
import { refusal } from './errors';
import { JsonValue, parseJson } from './json';

const BODY = Symbol('body');
interface Marked {
  [BODY]?: Buffer;
}

/**
 * Refuses a body whose declared length is over the limit (413) before anything else is spent on the request. The rest of
 * such a body is read and thrown away (within the read time-out), so that its sender gets to see the answer.
 */
export function bodyLength(limitBytes: number): RequestHandler {
  return (request, _response, next) => {
    const declared = Number(request.headers['content-length'] ?? 0);
    next(declared > limitBytes ? refusal('body_too_large') : undefined);
  };
}

/**
 * Reads the whole body, of any content type, up to a limit (413 over it, 415 for encoded ones).
 * Handlers take it with `rawBody` or `jsonBody`.
 */
export function readBody(limitBytes: number): RequestHandler {
  return (request, _response, next) => {
    const { headers } = request;
    if (headers['content-length'] === undefined && headers['transfer-encoding'] === undefined) return next();
    if ((headers['content-encoding'] ?? 'identity') !== 'identity') return next(refusal('unsupported_encoding'));
    if (Number(headers['content-length'] ?? 0) > limitBytes) return next(refusal('body_too_large'));
    collect(request, limitBytes).then((body) => {
      (request as Marked)[BODY] = body;
      next();
    }, next);
  };
}

function collect(request: IncomingMessage, limitBytes: number): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let length = 0;
    const finish = (act: () => void): void => {
      request.removeListener('data', onData);
      request.removeListener('end', onEnd);
      request.removeListener('close', onBroken);
      act();
    };
    const onData = (chunk: Buffer): void => {
      length += chunk.length;
      if (length <= limitBytes) return void chunks.push(chunk);
      finish(() => {
        request.resume();
        reject(refusal('body_too_large'));
      });
    };
    const onEnd = (): void => finish(() => resolve(Buffer.concat(chunks, length)));
    const onBroken = (): void => finish(() => reject(refusal('bad_request', { message: 'The request was cut off' })));
    request.on('data', onData);
    request.on('end', onEnd);
    request.on('close', onBroken);
    // a broken connection also closes; without a listener its error would end the process
    request.on('error', () => undefined);
  });
}

/** The bytes of the body; empty when there was none. */
export function rawBody(request: IncomingMessage): Buffer {
  return (request as Marked)[BODY] ?? Buffer.alloc(0);
}

/**
 * The body parsed as JSON, integers as bigint.
 * @throws HttpError `bad_json` (400)
 */
export function jsonBody(request: IncomingMessage): JsonValue {
  try {
    return parseJson(new TextDecoder('utf-8', { fatal: true }).decode(rawBody(request)));
  } catch {
    throw refusal('bad_json');
  }
}
