import { isErrorMessage } from '@wrkz/api';
import { errorsOfMethod, errorsOfRoute, type ErrorRow } from '@wrkz/service-kit';
import type { z } from 'zod';
import type { DaemonMethod, DaemonRoute } from '../../../src/rpc/declare';
import { allMethods, allRoutes, description } from '../../../src/rpc/service';
import { exact, type Json } from './recorded';

interface Request {
  readonly method: string;
  readonly path: string;
  readonly body: string | null;
}

interface Response {
  readonly status: number;
  readonly text: string;
}

/** How a response differs from its declaration; empty if it does not. */
export function undeclared(request: Request, response: Response): string[] {
  const route = routeOf(request);
  if (request.method === 'OPTIONS') return [];
  if (route === undefined)
    return response.status === 404 && response.text === '' ? [] : ['responds without a declaration'];
  const method = route.path === '/json_rpc' ? methodOf(request.body) : undefined;
  const errors = [
    ...errorsOfRoute(description, route),
    ...(method === undefined ? [] : errorsOfMethod(description, method)),
  ];
  if (request.method === 'HEAD') return [];
  const envelope =
    route.path === '/json_rpc' ? (parsed(response.text) as { error?: Json; result?: Json } | undefined) : {};
  if (envelope?.error !== undefined && typeof envelope.error === 'object') return rpcErrorFaults(errors, response);
  if (response.status !== 200) return refusalFaults(errors, response);
  if (method !== undefined) return faultsOf(method.result, envelope?.result as Json);
  return faultsOf(route.response as z.ZodType, exact(response.text));
}

/** The declared errors that match a response. */
export function declaredErrors(errors: readonly ErrorRow[], { status, text }: Response): ErrorRow[] {
  if (text === '') return errors.filter((row) => row.status === status && row.text === '');
  const body = parsed(text) as Record<string, Json> | undefined;
  if (body === undefined) return [];
  const error = body['error'];
  const { code, message } = (
    error !== null && typeof error === 'object'
      ? error
      : { code: body['errorCode'], message: error ?? body['errorMessage'] }
  ) as { code?: bigint; message: string };
  return errors.filter(
    (row) =>
      row.status === status &&
      (row.code === undefined ? code === undefined : BigInt(row.code) === code) &&
      row.text !== '' &&
      isErrorMessage(row, message),
  );
}

/** How a value differs from its schema, undeclared fields included. */
function faultsOf(schema: z.ZodType, value: Json): string[] {
  const read = schema.safeDecode(value);
  if (!read.success) return read.error.issues.map(({ path, message }) => `${path.join('.')}: ${message}`);
  const [back, sent] = [printed(schema.encode(read.data)), printed(value)];
  return back === sent ? [] : [`undeclared fields: ${sent} is parsed as ${back}`];
}

function refusalFaults(errors: readonly ErrorRow[], response: Response): string[] {
  if (declaredErrors(errors, response).length === 0) return [`${response.status} ${response.text} is not declared`];
  return response.text === '' ? [] : faultsOf(description.errorBody, exact(response.text));
}

function rpcErrorFaults(errors: readonly ErrorRow[], response: Response): string[] {
  return declaredErrors(errors, response).length === 0 ? [`${response.status} ${response.text} is not declared`] : [];
}

function routeOf({ method, path }: Pick<Request, 'method' | 'path'>): DaemonRoute | undefined {
  const verb = method === 'HEAD' ? 'GET' : method;
  return allRoutes.find((route) => route.method === verb && route.path === path.split('?')[0]);
}

function methodOf(body: string | null): DaemonMethod | undefined {
  const request = parsed(body ?? '');
  const name = request !== null && typeof request === 'object' && 'method' in request ? request['method'] : undefined;
  return allMethods.find((method) => method.name === name);
}

function parsed(text: string): Json | undefined {
  try {
    return exact(text);
  } catch {
    return undefined;
  }
}

/** A value with its fields sorted, for comparison. */
function printed(value: unknown): string {
  return JSON.stringify(value, (_name, inner: unknown) => {
    if (typeof inner === 'bigint') return `${inner}n`;
    if (inner === null || typeof inner !== 'object' || Array.isArray(inner)) return inner;
    return Object.fromEntries(Object.entries(inner).sort(([a], [b]) => (a < b ? -1 : 1)));
  });
}
