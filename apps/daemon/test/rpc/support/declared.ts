import { isErrorMessage } from '@wrkz/api';
import { errorsOfMethod, errorsOfRoute, type ErrorRow } from '@wrkz/service-kit';
import type { z } from 'zod';
import type { DaemonMethod, DaemonRoute } from '../../../src/rpc/declare';
import { allMethods, allRoutes, description } from '../../../src/rpc/service';
import { exact, type Json } from './recorded';

interface Asked {
  readonly method: string;
  readonly path: string;
  readonly body: string | null;
}

interface Got {
  readonly status: number;
  readonly text: string;
}

/** What of an answer its declaration does not say; an empty list when it says all. */
export function undeclared(asked: Asked, got: Got): string[] {
  const route = routeOf(asked);
  if (asked.method === 'OPTIONS') return [];
  if (route === undefined) return got.status === 404 && got.text === '' ? [] : ['answers without a declaration'];
  const method = route.path === '/json_rpc' ? methodOf(asked.body) : undefined;
  const errors = [
    ...errorsOfRoute(description, route),
    ...(method === undefined ? [] : errorsOfMethod(description, method)),
  ];
  if (asked.method === 'HEAD') return [];
  const envelope = route.path === '/json_rpc' ? (parsed(got.text) as { error?: Json; result?: Json } | undefined) : {};
  if (envelope?.error !== undefined && typeof envelope.error === 'object') return rpcErrorFaults(errors, got);
  if (got.status !== 200) return refusalFaults(errors, got);
  if (method !== undefined) return answerFaults(method.result, envelope?.result as Json);
  return answerFaults(route.answer as z.ZodType, exact(got.text));
}

/** The declared errors that an answer can be. */
export function declaredErrors(errors: readonly ErrorRow[], { status, text }: Got): ErrorRow[] {
  if (text === '') return errors.filter((row) => row.status === status && row.text === '');
  const body = parsed(text) as Record<string, Json> | undefined;
  if (body === undefined) return [];
  const error = body['error'] as Json | undefined;
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

/** What of a value its schema does not take, members beyond the schema among it. */
export function answerFaults(schema: z.ZodType, value: Json): string[] {
  const read = schema.safeDecode(value as never);
  if (!read.success) return read.error.issues.map(({ path, message }) => `${path.join('.')}: ${message}`);
  const [back, sent] = [printed(schema.encode(read.data)), printed(value)];
  return back === sent ? [] : [`members beyond the schema: ${sent} is read as ${back}`];
}

function refusalFaults(errors: readonly ErrorRow[], got: Got): string[] {
  if (declaredErrors(errors, got).length === 0) return [`${got.status} ${got.text} is not declared`];
  return got.text === '' ? [] : answerFaults(description.errorBody, exact(got.text));
}

function rpcErrorFaults(errors: readonly ErrorRow[], got: Got): string[] {
  return declaredErrors(errors, got).length === 0 ? [`${got.status} ${got.text} is not declared`] : [];
}

export function routeOf({ method, path }: Pick<Asked, 'method' | 'path'>): DaemonRoute | undefined {
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

/** A value with its members in order, for comparing. */
function printed(value: unknown): string {
  return JSON.stringify(value, (_name, inner: unknown) => {
    if (typeof inner === 'bigint') return `${inner}n`;
    if (inner === null || typeof inner !== 'object' || Array.isArray(inner)) return inner;
    return Object.fromEntries(Object.entries(inner).sort(([a], [b]) => (a < b ? -1 : 1)));
  });
}
