import type { Request, Response } from 'express';
import type { z } from 'zod';
import type { ErrorRow } from './error-row';
import type { MemberChecks, MemberRefusals, Members } from './members';

/** What stands before a handler. Both act only where the operator has switched them on. */
export interface Guards {
  readonly key: boolean;
  readonly limit: boolean;
}

export type Verb = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

export interface RouteRequest<Body = unknown, Query = unknown, Path = unknown> {
  readonly body: Body;
  readonly query: Query;
  readonly path: Path;
  /** The client's address in canonical form. */
  readonly client: string;
  /** Aborts when the client has left before it was answered. */
  readonly gone: AbortSignal;
  /** Express's own two, for an answer that is no finished value; such a handler returns `ANSWERED`. */
  readonly http: { readonly request: Request; readonly response: Response };
}

/** JSON that is printed already. */
export class FinishedJson {
  constructor(readonly text: string | Buffer) {}
}

/** An answer with another status than 200, or with headers. */
export class Reply<Value = unknown> {
  constructor(
    readonly status: number,
    readonly value: Value,
    readonly headers: Readonly<Record<string, string>> = {},
  ) {}
}

/** Says that the handler has written the answer itself. */
export const ANSWERED = Symbol('answered');

/** What a route answers with when it is not JSON. */
export interface TextAnswer {
  readonly contentType: string;
  readonly description: string;
  /** The JSON that the same route answers with where it is asked for that. */
  readonly orJson?: z.ZodType;
}

/** What a handler may return: a value of the answer's schema, or JSON that is finished; else text or bytes. */
export type Answered<A> = A extends z.ZodType
  ? z.output<A> | FinishedJson | Reply<z.output<A> | FinishedJson> | typeof ANSWERED
  : string | Buffer | Reply<string | Buffer> | typeof ANSWERED;

/** What a handler finds of members that were declared. */
export type Read<M extends Members | undefined> = M extends Members ? z.output<M> : undefined;

/** One HTTP route. What is left out does not exist: no `body`, and none is parsed. */
export interface RouteDeclaration<
  Context,
  Labels,
  Body extends Members | undefined = Members | undefined,
  Query extends Members | undefined = Members | undefined,
  Path extends Members | undefined = Members | undefined,
  Answer extends z.ZodType | TextAnswer = z.ZodType | TextAnswer,
> {
  readonly method: Verb;
  /** The path with its parameters in braces: `/pow/{id}`. It is the route's name in metrics and documents too. */
  readonly path: string;
  /** One line of description. */
  readonly summary: string;
  /** For client developers: what the route does, when to use it, units. One paragraph; code between backticks. */
  readonly description?: string;
  readonly guards: Guards;
  /** What the app's own hook asks of the node or the wallet before the request is looked at. */
  readonly labels?: Labels;
  /** The parameters of the path. A pattern of theirs decides whether a path is this route at all. */
  readonly params?: Path;
  readonly query?: Query;
  readonly body?: Body;
  readonly answer: Answer;
  /**
   * How long the answer may be held by others: the value of Cache-Control with status 200, which then has an ETag too and
   * may be answered by 304. Without it nothing may be stored. A handler that knows a shorter ETag gives it as a header.
   */
  readonly caching?: string;
  /** Of an answer that is no refusal; left out, it is 200. */
  readonly status?: number;
  readonly errors: readonly ErrorRow[];
  /** Refusals of this route for members of the right type whose value its schema does not take. */
  readonly invalid?: MemberRefusals<Body>;
  /** Refusals of our own, asked in the order in which the members are read. */
  readonly checks?: MemberChecks<Context, Body>;
  /** Looks at the raw members of the body before any of them is read, and says which count. */
  prepare?(members: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>>;
  /** Whether this program has the route at all; without it, it has. */
  available?(context: Context): boolean;
  handle(
    context: Context,
    request: RouteRequest<Read<Body>, Read<Query>, Read<Path>>,
  ): Answered<Answer> | Promise<Answered<Answer>>;
}

/** A declared route, whatever its members. */
export interface Route<Context = unknown, Labels = unknown> extends Omit<
  RouteDeclaration<Context, Labels>,
  'checks' | 'invalid' | 'handle' | 'available'
> {
  readonly invalid?: Readonly<Record<string, ErrorRow | undefined>>;
  readonly checks?: Readonly<Record<string, ((value: never, request: never) => void) | undefined>>;
  /** Errors that stand in the answer itself, as JSON-RPC has them, and yet give it another status than 200. */
  readonly answerErrors?: readonly ErrorRow[];
  available?(context: Context): boolean;
  handle(context: Context, request: RouteRequest<never, never, never>): unknown;
}

/** The function that an app declares its routes with: it types the handler by the schemas beside it. */
export function routeDeclarer<Context, Labels = never>() {
  return <
    A extends z.ZodType | TextAnswer,
    B extends Members | undefined = undefined,
    Q extends Members | undefined = undefined,
    P extends Members | undefined = undefined,
  >(
    declaration: RouteDeclaration<Context, Labels, B, Q, P, A>,
  ): RouteDeclaration<Context, Labels, B, Q, P, A> => declaration;
}
