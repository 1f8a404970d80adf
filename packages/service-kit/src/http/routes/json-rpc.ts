import { z } from 'zod';
import { type ErrorRow, JsonRpcError } from '../errors';
import { stringifyJson } from '../json';
import { FinishedJson, Reply, type Guards, type Route, type RouteRequest, type Verb } from './declaration';
import {
  type FieldChecks,
  fieldReader,
  type FieldRefusals,
  type Fields,
  isJsonObject,
  type OwnRefusals,
  readField,
  type RefuseField,
} from './fields';

/** The field `params`: named fields, a tuple, or ignored. */
export type Params = Fields | z.ZodTuple | undefined;

/** Return value of a method: a value of the schema, or serialized JSON. */
export type MethodResult<Result extends z.ZodType> = z.output<Result> | FinishedJson;

/** One JSON-RPC method. */
export interface MethodDeclaration<Context, Labels, P extends Params = Params, Result extends z.ZodType = z.ZodType> {
  readonly name: string;
  /** One line of description. */
  readonly summary: string;
  readonly labels?: Labels;
  readonly params?: P;
  readonly result: Result;
  readonly errors: readonly ErrorRow[];
  /** Errors for invalid values: by field, or one for a tuple. */
  readonly invalid?: P extends Fields ? FieldRefusals<P> : ErrorRow;
  readonly checks?: P extends Fields ? FieldChecks<Context, P> : never;
  /** Transforms the raw `params` before they are parsed. */
  prepare?(params: P extends Fields ? Readonly<Record<string, unknown>> : readonly unknown[]): unknown;
  /** Whether the method exists in this configuration. Default: it does. */
  available?(context: Context): boolean;
  handle(
    context: Context,
    params: P extends z.ZodType ? z.output<P> : undefined,
    request: RouteRequest,
  ): MethodResult<Result> | Promise<MethodResult<Result>>;
}

/** A declared method with any params. */
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

/** Makes the function that declares methods of a service: the schemas give the types of the handler. */
export function methodDeclarer<Context, Labels = never>() {
  return <Result extends z.ZodType, P extends Params = undefined>(
    declaration: MethodDeclaration<Context, Labels, P, Result>,
  ): MethodDeclaration<Context, Labels, P, Result> => declaration;
}

/** The envelope and the errors of a JSON-RPC service. */
export interface JsonRpcRules<Context, Labels> {
  readonly path: string;
  readonly verbs: readonly Verb[];
  readonly guards: Guards;
  readonly summary: string;
  readonly labels?: Labels;
  /** Fields of the envelope. */
  readonly request: Fields;
  /** Errors for invalid values of these fields. */
  readonly invalidRequest?: Readonly<Record<string, ErrorRow>>;
  readonly response: z.ZodType;
  readonly errors: readonly ErrorRow[];
  readonly methods: readonly Method<Context, Labels>[];
  readonly invalid: RefuseField;
  readonly admit?: (labels: Labels | undefined, context: Context) => void | Promise<void>;
  readonly unknownMethod: (name: string) => Error;
  /** Converts an error of a handler for the envelope; undefined if it belongs to HTTP. */
  readonly failure?: (error: unknown) => JsonRpcError | undefined;
}

const jsonRpcFailure = (error: unknown): JsonRpcError | undefined =>
  error instanceof JsonRpcError ? error : undefined;

/**
 * The routes, one for each HTTP method, of JSON-RPC 2.0. `id` is echoed unchanged, and missing if it was missing. A batch is not
 * supported and counts as a request without a method.
 */
export function jsonRpcRoutes<Context, Labels>(rules: JsonRpcRules<Context, Labels>): Route<Context, Labels>[] {
  const methods = new Map(
    rules.methods.map((method) => [method.name, { method, read: paramsReader(method, rules.invalid) }]),
  );
  const { failure = jsonRpcFailure, labels } = rules;

  async function handle(context: Context, request: RouteRequest<Envelope>): Promise<object> {
    const { id, method: name } = request.body;
    const bound = methods.get(name);
    if (bound === undefined || bound.method.available?.(context) === false) throw rules.unknownMethod(name);
    await rules.admit?.(bound.method.labels, context);
    try {
      const params = await bound.read(request.body.params, context);
      const result = await bound.method.handle(context, params as never, request);
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
    ...(rules.invalidRequest === undefined ? {} : { invalid: rules.invalidRequest }),
    response: rules.response,
    errors: rules.errors,
    responseErrors: [...new Set(rules.methods.flatMap(({ errors }) => errors.filter(isInEnvelope)))],
    handle,
  }));
}

/** Adds the envelope to a serialized result. */
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

function paramsReader<Context>(
  method: Method<Context>,
  refuse: RefuseField,
): (sent: unknown, context: Context) => Promise<unknown> {
  const { params } = method;
  if (params === undefined) return () => Promise.resolve();
  const byPosition = params instanceof z.ZodTuple;
  const outer = byPosition ? z.array(z.unknown()) : z.looseObject({});
  const fits = byPosition ? Array.isArray : isJsonObject;
  const read = byPosition
    ? (raw: unknown) =>
        readField({ name: 'params', schema: params, row: method.invalid as ErrorRow | undefined }, raw, refuse)
    : fieldReader(params, refuse, method as OwnRefusals);
  return async (sent, context) => {
    if (!fits(sent)) readField({ name: 'params', schema: outer, row: undefined }, sent, refuse);
    return read(method.prepare === undefined ? sent : method.prepare(sent as never), context);
  };
}
