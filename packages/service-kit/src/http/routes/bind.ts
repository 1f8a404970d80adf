import fresh from 'fresh';
import { createHash } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { z } from 'zod';
import { clientAddressOf } from '../client-address';
import { refusal } from '../errors';
import { type JsonValue, stringifyJson } from '../json';
import { bodyText, type Exchange, parsedBody } from '../request';
import { FinishedText, sendText, variesByEncoding } from '../send';
import {
  RESPONSE_SENT,
  FinishedBytes,
  FinishedJson,
  Reply,
  type Guards,
  type Route,
  type RouteRequest,
  type Verb,
} from './declaration';
import { type FieldReader, fieldReader, type Fields, isJsonObject, type RefuseField } from './fields';

/** The rules of a service for all of its routes. */
export interface RouteRules<Context, Labels> {
  /** Whether invalid UTF-8 makes the body invalid; otherwise it becomes U+FFFD. */
  readonly strictUtf8?: boolean;
  /** Whether a repeated field name makes the body invalid; otherwise the first one counts. */
  readonly uniqueNames?: boolean;
  /** The error for a body that is not JSON. Without an error the body counts as an object without fields. */
  readonly notJson: (text: string) => Error | undefined;
  readonly invalid: RefuseField;
  /** Checks the labels of a declaration against the state of the service. @throws the error to send */
  readonly admit?: (labels: Labels | undefined, context: Context, exchange: Exchange) => void | Promise<void>;
  /** Converts an error of a handler. */
  readonly failed?: (error: unknown, request: IncomingMessage) => unknown;
}

export interface BoundRoute {
  /** `ALL`: any method. Such a route follows the routes of single methods. */
  readonly method: Verb | 'ALL';
  readonly path: string;
  readonly pattern: RegExp;
  readonly guards: Guards;
  /** Sends the response, or throws. */
  readonly handler: (exchange: Exchange) => void | Promise<void>;
}

/**
 * Binds declarations to their context. A request passes: its body as JSON, the labels, the fields of path, query and body, the
 * handler.
 */
export function bindRoutes<Context, Labels>(
  routes: readonly Route<Context, Labels>[],
  context: Context,
  rules: RouteRules<Context, Labels>,
): BoundRoute[] {
  return routes
    .filter((route) => route.available?.(context) ?? true)
    .map((route) => ({
      method: route.method,
      path: route.path,
      pattern: pathPattern(route.path, route.params),
      guards: route.guards,
      handler: handlerOf(route, context, rules),
    }));
}

/** Routes for all other methods of the declared paths: the same guards, then a 404. */
export function guardOtherMethods<Context, Labels>(
  routes: readonly Pick<Route<Context, Labels>, 'guards' | 'params' | 'path'>[],
): BoundRoute[] {
  const byPath = new Map<string, BoundRoute>();
  for (const { path, params, guards } of routes) {
    const before = byPath.get(path)?.guards ?? { key: false, limit: false };
    byPath.set(path, {
      method: 'ALL',
      path,
      pattern: pathPattern(path, params),
      guards: { key: before.key || guards.key, limit: before.limit || guards.limit },
      handler: () => {
        throw refusal('not_found');
      },
    });
  }
  return [...byPath.values()];
}

/** The last route of a service in which an unknown HTTP method is a 400 on every path. */
export function badMethod(known: readonly string[]): BoundRoute {
  return {
    method: 'ALL',
    path: '{any}',
    pattern: /^/,
    guards: { key: false, limit: false },
    handler: ({ request }) => {
      throw known.includes(request.method ?? '') ? refusal('not_found') : refusal('bad_request');
    },
  };
}

const PARAMETER = /\{(\w+)\}/g;

/**
 * The expression for a declared path: case and trailing slashes count. A parameter `{id}` matches the pattern of its schema, by
 * default everything but a slash.
 * @throws Error if path and schema have different parameters
 */
export function pathPattern(path: string, params: Fields | undefined): RegExp {
  const shape = params?.shape ?? {};
  const names = [...path.matchAll(PARAMETER)].map(([, name = '']) => name);
  if (names.join() !== Object.keys(shape).join()) throw new Error(`${path}: its schema has other parameters`);
  const source = path
    .split(PARAMETER)
    .map((part, i) => (i % 2 === 0 ? escaped(part) : `(?<${part}>${valuePattern(shape[part] as z.ZodType)})`))
    .join('');
  return new RegExp(`^${source}$`);
}

function valuePattern(schema: z.ZodType): string {
  const { pattern } = z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' });
  if (pattern === undefined) return '[^/]+';
  if (/(^|[^\\])\((?!\?)/.test(pattern)) throw new Error(`the pattern ${pattern} of a path parameter captures a group`);
  return pattern.replace(/^\^/, '').replace(/\$$/, '');
}

function escaped(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
}

function handlerOf<Context, Labels>(
  route: Route<Context, Labels>,
  context: Context,
  rules: RouteRules<Context, Labels>,
): BoundRoute['handler'] {
  const { invalid, admit, failed = (error: unknown) => error } = rules;
  const path = route.params && fieldReader(route.params, invalid);
  const query = route.query && fieldReader(route.query, invalid);
  const body = route.body && fieldReader(route.body, invalid, route);
  const prepared = (value: JsonValue | undefined): unknown =>
    route.prepare && isJsonObject(value) ? route.prepare(value) : value;
  const read = (reader: FieldReader | undefined, raw: unknown): unknown => reader?.(raw, context);

  return async (exchange) => {
    const { request, response } = exchange;
    const json = body && readJson(request, rules);
    const admission = admit?.(route.labels, context, exchange);
    if (admission !== undefined) await admission;
    const typed = new TypedRequest(
      await read(path, exchange.params),
      await read(query, exchange.query),
      await read(body, prepared(json)),
      exchange,
    );
    try {
      await send(route, request, response, await route.handle(context, typed as never));
    } catch (error) {
      if (!typed.isAborted(error)) throw failed(error, request);
    }
  };
}

function readJson(
  request: IncomingMessage,
  { notJson, strictUtf8, uniqueNames }: Pick<RouteRules<unknown, unknown>, 'notJson' | 'strictUtf8' | 'uniqueNames'>,
): JsonValue | undefined {
  try {
    return parsedBody(request, strictUtf8, uniqueNames);
  } catch {
    const refused = notJson(bodyText(request));
    if (refused !== undefined) throw refused;
    return undefined;
  }
}

class TypedRequest implements RouteRequest {
  private left: AbortController | undefined;

  constructor(
    readonly path: unknown,
    readonly query: unknown,
    readonly body: unknown,
    readonly http: RouteRequest['http'],
  ) {}

  get client(): string {
    return clientAddressOf(this.http.request);
  }

  /** Whether an error is the abort of `gone`: the client has disconnected. */
  isAborted(error: unknown): boolean {
    return this.left?.signal.aborted === true && error === this.left.signal.reason;
  }

  get gone(): AbortSignal {
    if (this.left === undefined) {
      const { response } = this.http;
      const left = (this.left = new AbortController());
      if (response.destroyed) left.abort();
      else response.once('close', () => response.writableFinished || left.abort());
    }
    return this.left.signal;
  }
}

async function send(
  route: Pick<Route, 'response' | 'caching'>,
  request: IncomingMessage,
  response: ServerResponse,
  result: unknown,
): Promise<void> {
  if (result === RESPONSE_SENT || response.destroyed) return;
  const reply: Reply = result instanceof Reply ? (result as Reply) : new Reply(200, result);
  const { caching } = route;
  const { status, value, headers } = reply;
  for (const [name, text] of Object.entries(headers)) response.setHeader(name, text);
  response.statusCode = status;
  if (value === undefined) return void response.end();
  const [contentType, body] = bodyOf(route, value);
  const finished = new FinishedText(contentType, body);
  if (caching !== undefined && status === 200 && isNotModified(request, response, caching, body)) {
    variesByEncoding(response, finished);
    response.statusCode = 304;
    return void response.end();
  }
  await sendText(request, response, status, finished);
}

function bodyOf({ response }: Pick<Route, 'response'>, value: unknown): [contentType: string, body: string | Buffer] {
  if (value instanceof FinishedBytes) return ['application/octet-stream', value.bytes];
  if ('contentType' in response) return [response.contentType, value as string | Buffer];
  return ['application/json', value instanceof FinishedJson ? value.text : stringifyJson(value)];
}

/** Sets Cache-Control and ETag. @returns whether the client has this response already */
function isNotModified(
  request: IncomingMessage,
  response: ServerResponse,
  caching: string,
  body: string | Buffer,
): boolean {
  response.setHeader('Cache-Control', caching);
  if (!response.hasHeader('ETag')) response.setHeader('ETag', entityTag(body));
  const isRead = request.method === 'GET' || request.method === 'HEAD';
  return isRead && fresh(request.headers, { etag: response.getHeader('ETag') });
}

/** A weak ETag: the same for compressed and plain responses. */
export function entityTag(body: string | Buffer): string {
  return `W/"${createHash('sha1').update(body).digest('base64url')}"`;
}
