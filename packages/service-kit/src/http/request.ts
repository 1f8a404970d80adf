import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { refusal } from './errors';
import { type JsonValue, parseJson, parseUniqueJson } from './json';

/** A request and its response, as guards and handlers get them, with or without Express. */
export interface Exchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  /** Parameters of the path, decoded. */
  readonly params: Readonly<Record<string, unknown>>;
  /** The query; a repeated parameter is an array. */
  readonly query: Readonly<Record<string, unknown>>;
}

interface RequestState {
  id?: string;
  route?: string;
  body?: Buffer;
  json?: JsonValue;
}

const STATE = Symbol('request state');

function stateOf(request: IncomingMessage): RequestState {
  return ((request as { [STATE]?: RequestState })[STATE] ??= {});
}

/** Response header with the request id. A trusted proxy may set it in the request. */
export const REQUEST_ID_HEADER = 'X-Request-Id';

/** Ids appear in log lines and headers. */
const SAFE_ID = /^[\w.:-]{1,64}$/;

export const newRequestId = (): string => randomUUID();

/** The id of a request: from its X-Request-Id header if the header is valid and trusted, else random. */
export function requestIdOf(request: IncomingMessage, isTrusted = false): string {
  const state = stateOf(request);
  const given = isTrusted ? request.headers['x-request-id'] : undefined;
  return (state.id ??= typeof given === 'string' && SAFE_ID.test(given) ? given : newRequestId());
}

/** Records the declared path of the matched route. */
export function markRoute(request: IncomingMessage, path: string): void {
  stateOf(request).route = path;
}

/** The declared path of the matched route, never the requested path. Undefined if no route matches. */
export function routeOf(request: IncomingMessage): string | undefined {
  return stateOf(request).route;
}

/** The requested path, without the query. */
export function requestPath({ url = '' }: IncomingMessage): string {
  const end = url.indexOf('?');
  return end < 0 ? url : url.slice(0, end);
}

/**
 * Reads the whole body of any content type. `rawBody` and `parsedBody` return it.
 * @throws HttpError 413 above the limit, 415 for a content encoding, 400 if the connection breaks
 */
export function readBody(request: IncomingMessage, limitBytes: number): Promise<void> | undefined {
  const { headers } = request;
  if (headers['content-length'] === undefined && headers['transfer-encoding'] === undefined) return undefined;
  const encoding = headers['content-encoding'] ?? 'identity';
  if (encoding.trim().toLowerCase() !== 'identity') throw refusal('unsupported_encoding');
  assertBodyLength(request, limitBytes);
  return collect(request, limitBytes).then((body) => {
    stateOf(request).body = body;
  });
}

/**
 * Checks the declared length before anything else of the request is processed. Node.js discards the rest of the body, so that
 * the client can read the response.
 * @throws HttpError 413
 */
export function assertBodyLength({ headers }: IncomingMessage, limitBytes: number): void {
  if (Number(headers['content-length'] ?? 0) > limitBytes) throw refusal('body_too_large');
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
      holdBytes(request.socket, chunk.length);
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
    // A broken connection also closes; an error without a listener would end the process.
    request.on('error', () => undefined);
  });
}

/** The bytes of the body; empty without a body. */
export function rawBody(request: IncomingMessage): Buffer {
  return stateOf(request).body ?? Buffer.alloc(0);
}

const STRICT_UTF8 = new TextDecoder('utf-8', { fatal: true });

/** The body as text without a byte order mark. @param isStrict throw for invalid UTF-8 instead of inserting U+FFFD */
export function bodyText(request: IncomingMessage, isStrict = false): string {
  const bytes = rawBody(request);
  if (isStrict) return STRICT_UTF8.decode(bytes);
  const text = bytes.toString('utf8');
  return text.startsWith('\ufeff') ? text.slice(1) : text;
}

/**
 * The body as JSON, integers as bigint, parsed once.
 * @param isStrict as for `bodyText`
 * @param isUnique refuse repeated names
 * @throws SyntaxError, TypeError
 */
export function parsedBody(request: IncomingMessage, isStrict = false, isUnique = false): JsonValue {
  const parse = isUnique ? parseUniqueJson : parseJson;
  return (stateOf(request).json ??= parse(bodyText(request, isStrict)));
}

const METER = Symbol('memory meter');

/** Sets the function that gets the bytes which requests of a connection hold in memory. */
export function setMemoryMeter(socket: Socket, hold: (bytes: number) => void): void {
  Object.assign(socket, { [METER]: hold });
}

function holdBytes(socket: Socket, bytes: number): void {
  (socket as { [METER]?: (bytes: number) => void })[METER]?.(bytes);
}
