import type { Request, RequestHandler, Response } from 'express';
import { createHash } from 'node:crypto';
import { rawBody } from '../body';
import { clientAddressOf } from '../client-address';
import { JsonValue, parseJson } from '../json';
import { FinishedText, sendFinished, sendJsonText } from '../send';
import { stringifyJson } from '../stringify-json';
import { ANSWERED, FinishedJson, Reply, type Guards, type Route, type RouteRequest, type Verb } from './declaration';
import { isMembers, memberReader, type MemberReader, type RefuseMember } from './members';
import { pathPattern } from './path';

/** What an app adds to its declarations: its words, and what its labels ask. */
export interface RouteRules<Context, Labels> {
  /** Whether bytes that are no UTF-8 make a body no JSON; else U+FFFD takes their place. A mark of order is skipped then. */
  readonly strictUtf8?: boolean;
  /** Refuses a body that is no JSON, given its text; without a refusal it counts as one without members. */
  readonly notJson: (text: string) => Error | undefined;
  readonly invalid: RefuseMember;
  /** Holds a declaration's labels against the state of the program; throws what it refuses with. */
  readonly admit?: (labels: Labels | undefined, context: Context, request: Request) => void | Promise<void>;
  /** What an error of a handler is answered as; without it, as it is. */
  readonly failed?: (error: unknown, request: Request) => unknown;
}

/** A declaration with everything that it takes to answer a request. */
export interface BoundRoute {
  /** `ALL` for whatever method; it stands behind the routes of single methods. */
  readonly method: Verb | 'ALL';
  readonly path: string;
  readonly pattern: RegExp;
  readonly guards: Guards;
  readonly handler: RequestHandler;
}

/**
 * Binds declarations to what they work on. A request passes, in this order: its body as JSON, the labels, the members of
 * path, query and body, the handler.
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

function handlerOf<Context, Labels>(
  route: Route<Context, Labels>,
  context: Context,
  rules: RouteRules<Context, Labels>,
): RequestHandler {
  const { invalid } = rules;
  const path = route.params && memberReader(route.params, invalid);
  const query = route.query && memberReader(route.query, invalid);
  const body = route.body && memberReader(route.body, invalid, route);
  const prepared = (value: JsonValue | undefined): unknown =>
    route.prepare && isMembers(value) ? route.prepare(value) : value;

  return async (request, response) => {
    const json = body && readJson(request, rules);
    await rules.admit?.(route.labels, context, request);
    const typed = new TypedRequest(
      read(path, request.params, context),
      read(query, request.query, context),
      read(body, prepared(json), context),
      { request, response },
    );
    try {
      await send(route, request, response, await route.handle(context, typed as never));
    } catch (error) {
      // Nobody is there to be told that the work was given up.
      if (!typed.isGivenUp(error)) throw rules.failed === undefined ? error : rules.failed(error, request);
    }
  };
}

function read(reader: MemberReader | undefined, raw: unknown, context: unknown): unknown {
  return reader?.read(raw, context);
}

const STRICT = new TextDecoder('utf-8', { fatal: true });

function readJson(
  request: Request,
  { notJson, strictUtf8 = false }: Pick<RouteRules<unknown, unknown>, 'notJson' | 'strictUtf8'>,
): JsonValue | undefined {
  const bytes = rawBody(request);
  const text = bytes.toString('utf8');
  try {
    return parseJson(strictUtf8 ? STRICT.decode(bytes) : text);
  } catch {
    const refused = notJson(text);
    if (refused !== undefined) throw refused;
    return undefined;
  }
}

class TypedRequest implements RouteRequest {
  #left: AbortController | undefined;

  constructor(
    readonly path: unknown,
    readonly query: unknown,
    readonly body: unknown,
    readonly http: { readonly request: Request; readonly response: Response },
  ) {}

  get client(): string {
    return clientAddressOf(this.http.request);
  }

  /** Whether this is how work ends for a caller who has left. */
  isGivenUp(error: unknown): boolean {
    return this.#left?.signal.aborted === true && error === this.#left.signal.reason;
  }

  get gone(): AbortSignal {
    if (this.#left === undefined) {
      const { response } = this.http;
      const left = (this.#left = new AbortController());
      if (response.destroyed) left.abort();
      else response.once('close', () => response.writableFinished || left.abort());
    }
    return this.#left.signal;
  }
}

async function send(
  { answer, caching }: Pick<Route, 'answer' | 'caching'>,
  request: Request,
  response: Response,
  answered: unknown,
): Promise<void> {
  if (answered === ANSWERED || response.destroyed) return;
  const reply: Reply = answered instanceof Reply ? (answered as Reply) : new Reply(200, answered);
  const { status, value, headers } = reply;
  for (const [name, text] of Object.entries(headers)) response.setHeader(name, text);
  if (value === undefined) return void response.status(status).end();
  const body = 'contentType' in answer ? (value as string | Buffer) : jsonText(value);
  if (caching !== undefined && status === 200 && isHeldAlready(request, response, caching, body)) {
    response.status(304).end();
  } else if ('contentType' in answer) {
    await sendFinished(request, response, status, new FinishedText(answer.contentType, body));
  } else {
    await sendJsonText(request, response, status, body);
  }
}

function jsonText(value: unknown): string | Buffer {
  return value instanceof FinishedJson ? value.text : stringifyJson(value);
}

/** Puts the marks of a cacheable answer on it, and says whether the caller holds this very answer. */
function isHeldAlready(request: Request, response: Response, caching: string, body: string | Buffer): boolean {
  response.setHeader('Cache-Control', caching);
  if (!response.hasHeader('ETag')) response.setHeader('ETag', entityTag(body));
  response.statusCode = 200;
  return request.fresh;
}

/** A weak one: with and without compression the answer is the same. */
export function entityTag(body: string | Buffer): string {
  return `W/"${createHash('sha1').update(body).digest('base64url')}"`;
}
