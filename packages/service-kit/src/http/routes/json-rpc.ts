import { z } from 'zod';
import { stringifyJson } from '../stringify-json';
import { FinishedJson, Reply, type Guards, type Route, type RouteRequest, type Verb } from './declaration';
import type { ErrorRow } from './error-row';
import { JsonRpcError } from './json-rpc-error';
import {
  isMembers,
  memberReader,
  readMember,
  type MemberChecks,
  type MemberReader,
  type MemberRefusals,
  type OwnRefusals,
  type Members,
  type RefuseMember,
} from './members';

/** What the member `params` holds: named members, a fixed list by position, or nothing that the method looks at. */
export type Params = Members | z.ZodTuple | undefined;

/** What a method may return: a value of its result's schema, or JSON that is finished. */
export type MethodResult<Result extends z.ZodType> = z.output<Result> | FinishedJson;

/** One JSON-RPC method. */
export interface MethodDeclaration<Context, Labels, P extends Params = Params, Result extends z.ZodType = z.ZodType> {
  readonly name: string;
  /** One line of description. */
  readonly summary: string;
  readonly labels?: Labels;
  readonly params?: P;
  /** `params` may be left out altogether and then counts as empty. */
  readonly paramsOptional?: boolean;
  readonly result: Result;
  readonly errors: readonly ErrorRow[];
  /** Refusals of wrong values: by member, or one for all of a list. */
  readonly invalid?: P extends Members ? MemberRefusals<P> : ErrorRow;
  readonly checks?: P extends Members ? MemberChecks<Context, P> : never;
  /** Looks at the raw `params` before any member is read, and says what of it counts. */
  prepare?(params: P extends Members ? Readonly<Record<string, unknown>> : readonly unknown[]): unknown;
  /** Whether this program has the method at all; without it, it has. */
  available?(context: Context): boolean;
  handle(
    context: Context,
    params: P extends z.ZodType ? z.output<P> : undefined,
    request: RouteRequest,
  ): MethodResult<Result> | Promise<MethodResult<Result>>;
}

/** A declared method, whatever its members. */
export interface Method<Context = unknown, Labels = unknown> extends Omit<
  MethodDeclaration<Context, Labels>,
  'checks' | 'invalid' | 'handle' | 'prepare' | 'available'
> {
  readonly invalid?: ErrorRow | Readonly<Record<string, ErrorRow | undefined>>;
  readonly checks?: Readonly<Record<string, ((value: never, request: never) => void) | undefined>>;
  prepare?(params: never): unknown;
  available?(context: Context): boolean;
  handle(context: Context, params: never, request: RouteRequest): unknown;
}

/** The function that an app declares its methods with: it types the handler by the schemas beside it. */
export function methodDeclarer<Context, Labels = never>() {
  return <Result extends z.ZodType, P extends Params = undefined>(
    declaration: MethodDeclaration<Context, Labels, P, Result>,
  ): MethodDeclaration<Context, Labels, P, Result> => declaration;
}

/** What differs between the JSON-RPC services: the envelope and what stands in for the standard's errors. */
export interface JsonRpcRules<Context, Labels> {
  readonly path: string;
  readonly verbs: readonly Verb[];
  readonly guards: Guards;
  readonly summary: string;
  readonly labels?: Labels;
  /** Members of the envelope, `method` among them. */
  readonly request: Members;
  readonly answer: z.ZodType;
  readonly errors: readonly ErrorRow[];
  readonly methods: readonly Method<Context, Labels>[];
  readonly invalid: RefuseMember;
  readonly admit?: (labels: Labels | undefined, context: Context) => void | Promise<void>;
  /** Thrown for a method that is not there. */
  readonly unknownMethod: (name: string) => Error;
  /** Makes the error object of what a handler threw; undefined when it is not for the envelope. */
  readonly failure?: (error: unknown) => JsonRpcError | undefined;
}

const jsonRpcFailure = (error: unknown): JsonRpcError | undefined =>
  error instanceof JsonRpcError ? error : undefined;

/**
 * The routes (one a verb) that answer JSON-RPC 2.0. `id` is echoed as it came and left out when it was not sent; a batch
 * is not supported and reads as a request without a method.
 */
export function jsonRpcRoutes<Context, Labels>(rules: JsonRpcRules<Context, Labels>): Route<Context, Labels>[] {
  const methods = new Map(rules.methods.map((method) => [method.name, bindMethod(method, rules)]));
  const { failure = jsonRpcFailure, labels } = rules;

  async function handle(context: Context, request: RouteRequest<Envelope>): Promise<object> {
    const { id, method: name } = request.body;
    const bound = methods.get(name);
    if (bound === undefined || bound.method.available?.(context) === false) throw rules.unknownMethod(name);
    await rules.admit?.(bound.method.labels, context);
    try {
      const result = await bound.call(context, request);
      return result instanceof FinishedJson ? enveloped(result, id) : { result, id, jsonrpc: '2.0' };
    } catch (error) {
      const failed = failure(error);
      if (failed === undefined) throw error;
      const { code, message, data, status } = failed;
      return new Reply(status, { error: { code, message, data }, id, jsonrpc: '2.0' });
    }
  }

  return rules.verbs.map((method) => ({
    method,
    path: rules.path,
    summary: rules.summary,
    guards: rules.guards,
    ...(labels === undefined ? {} : { labels }),
    body: rules.request,
    answer: rules.answer,
    errors: rules.errors,
    answerErrors: [...new Set(rules.methods.flatMap(({ errors }) => errors.filter(isInEnvelope)))],
    handle,
  }));
}

/** Puts a finished result into the envelope without reading it again. */
function enveloped({ text }: FinishedJson, id: unknown): FinishedJson {
  const tail = `${id === undefined ? '' : `,"id":${stringifyJson(id)}`},"jsonrpc":"2.0"}`;
  return new FinishedJson(Buffer.concat([Buffer.from('{"result":'), Buffer.from(text), Buffer.from(tail)]));
}

const isInEnvelope = ({ code, status }: ErrorRow): boolean => typeof code === 'number' && status !== 200;

interface Envelope {
  readonly method: string;
  readonly id?: unknown;
  readonly params?: unknown;
}

interface BoundMethod<Context, Labels> {
  readonly method: Method<Context, Labels>;
  call(context: Context, request: RouteRequest<Envelope>): Promise<unknown>;
}

function bindMethod<Context, Labels>(
  method: Method<Context, Labels>,
  { invalid }: JsonRpcRules<Context, Labels>,
): BoundMethod<Context, Labels> {
  const read = paramsReader(method, invalid);
  return {
    method,
    async call(context, request) {
      return method.handle(context, read(request.body.params, context) as never, request);
    },
  };
}

function paramsReader<Context>(
  method: Method<Context>,
  refuse: RefuseMember,
): (sent: unknown, context: Context) => unknown {
  const { params, paramsOptional = false } = method;
  if (params === undefined) return () => undefined;
  const byPosition = params instanceof z.ZodTuple;
  const outer = byPosition ? z.array(z.unknown()) : z.looseObject({});
  const fits = byPosition ? Array.isArray : isMembers;
  const { read } = byPosition
    ? tupleReader(params, method, refuse)
    : memberReader(params, refuse, method as OwnRefusals);
  return (sent, context) => {
    const value = sent === undefined && paramsOptional ? (byPosition ? [] : {}) : sent;
    if (!fits(value)) readMember({ name: 'params', schema: outer, row: undefined }, value, refuse);
    return read(method.prepare === undefined ? value : method.prepare(value as never), context);
  };
}

function tupleReader(params: z.ZodTuple, { invalid }: Pick<Method, 'invalid'>, refuse: RefuseMember): MemberReader {
  const field = { name: 'params', schema: params, row: invalid as ErrorRow | undefined };
  return { read: (raw) => readMember(field, raw, refuse) as never };
}
