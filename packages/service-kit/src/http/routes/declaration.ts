import type { IncomingMessage, ServerResponse } from 'node:http';
import type { z } from 'zod';
import type { ErrorRow } from '../errors';
import type { FieldChecks, FieldRefusals, Fields } from './fields';

/** Checks before a handler. Each is active only if the operator has configured it. */
export interface Guards {
  readonly key: boolean;
  readonly limit: boolean;
}

export type Verb = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

export interface RouteRequest<Body = unknown, Query = unknown, Path = unknown> {
  readonly body: Body;
  readonly query: Query;
  readonly path: Path;
  /** The client address, canonical. */
  readonly client: string;
  /** Aborts when the client closes the connection before the response is sent. */
  readonly gone: AbortSignal;
  /** For a handler that sends the response itself and returns `RESPONSE_SENT`. */
  readonly http: { readonly request: IncomingMessage; readonly response: ServerResponse };
}

export class FinishedJson {
  constructor(readonly text: string | Buffer) {}
}

/** A response of the type application/octet-stream. */
export class FinishedBytes {
  constructor(readonly bytes: Buffer) {}
}

/** A response with another status than 200, or with headers. */
export class Reply<Value = unknown> {
  constructor(
    readonly status: number,
    readonly value: Value,
    readonly headers: Readonly<Record<string, string>> = {},
  ) {}
}

/** Returned by a handler that has sent the response itself. */
export const RESPONSE_SENT = Symbol('response sent');

/** A response that is not JSON. */
export interface TextResponse {
  readonly contentType: string;
  readonly description: string;
  /** Schema of the JSON that the route returns on request. */
  readonly orJson?: z.ZodType;
}

/** Return value of a handler: a value of the schema or serialized JSON; for a TextResponse text or bytes. */
export type HandlerResult<A> = A extends z.ZodType
  ? z.output<A> | FinishedJson | FinishedBytes | Reply<z.output<A> | FinishedJson> | typeof RESPONSE_SENT
  : string | Buffer | Reply<string | Buffer> | typeof RESPONSE_SENT;

export type Read<M extends Fields | undefined> = M extends Fields ? z.output<M> : undefined;

/** One HTTP route. Without `body` no body is parsed. */
export interface RouteDeclaration<
  Context,
  Labels,
  Body extends Fields | undefined = Fields | undefined,
  Query extends Fields | undefined = Fields | undefined,
  Path extends Fields | undefined = Fields | undefined,
  Response extends z.ZodType | TextResponse = z.ZodType | TextResponse,
> {
  readonly method: Verb;
  /** The path with parameters in braces: `/pow/{id}`. Also the label in metrics and documentation. */
  readonly path: string;
  /** One line of description. */
  readonly summary: string;
  /** For client developers: what the route does, when to use it, units. One paragraph; code between backticks. */
  readonly description?: string;
  readonly guards: Guards;
  /** Requirements that the service checks before it reads the request. */
  readonly labels?: Labels;
  /** Parameters of the path. A path whose parameters do not match their patterns is unknown. */
  readonly params?: Path;
  readonly query?: Query;
  readonly body?: Body;
  readonly response: Response;
  /** Description of the bytes that the route returns on request instead of JSON. */
  readonly orBytes?: string;
  /**
   * Cache-Control for status 200. The response then has an ETag, and a conditional request may get a 304. Default: no-store.
   * A handler may set another ETag as header.
   */
  readonly caching?: string;
  /** Status of a successful response. Default: 200. */
  readonly status?: number;
  readonly errors: readonly ErrorRow[];
  /** Errors for fields of the right type with an invalid value. */
  readonly invalid?: FieldRefusals<Body>;
  /** Further checks, in the order of the fields. */
  readonly checks?: FieldChecks<Context, Body>;
  /** Transforms the raw fields of the body before they are parsed. */
  prepare?(fields: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>>;
  /** Whether the route exists in this configuration. Default: it does. */
  available?(context: Context): boolean;
  handle(
    context: Context,
    request: RouteRequest<Read<Body>, Read<Query>, Read<Path>>,
  ): HandlerResult<Response> | Promise<HandlerResult<Response>>;
}

/** A declared route with any fields. */
export interface Route<Context = unknown, Labels = unknown> extends Omit<
  RouteDeclaration<Context, Labels>,
  'checks' | 'invalid' | 'handle' | 'available'
> {
  readonly invalid?: Readonly<Record<string, ErrorRow | undefined>>;
  readonly checks?: Readonly<Record<string, ((value: never, request: never) => void) | undefined>>;
  /** JSON-RPC errors with another HTTP status than 200. */
  readonly responseErrors?: readonly ErrorRow[];
  available?(context: Context): boolean;
  handle(context: Context, request: RouteRequest<never, never, never>): unknown;
}

/** Makes the function that declares routes of a service: the schemas give the types of the handler. */
export function routeDeclarer<Context, Labels = never>() {
  return <
    A extends z.ZodType | TextResponse,
    B extends Fields | undefined = undefined,
    Q extends Fields | undefined = undefined,
    P extends Fields | undefined = undefined,
  >(
    declaration: RouteDeclaration<Context, Labels, B, Q, P, A>,
  ): RouteDeclaration<Context, Labels, B, Q, P, A> => declaration;
}
