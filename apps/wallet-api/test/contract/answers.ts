import { z } from 'zod';
import { parseJson, stringifyJson } from '@wrkz/service-kit';
import type { WalletRoute } from '../../src/routes/declare';
import type { ServiceResponse } from '../support/service';

/** Differences of a response from its declaration: status, content type, missing or undeclared fields. */
export function faultsOf(route: Pick<WalletRoute, 'response' | 'status'>, response: ServiceResponse): string[] {
  const type = String(response.headers['content-type'] ?? '');
  const { status = 200 } = route;
  const faults: string[] = [];
  if (response.status !== status) faults.push(`status ${String(response.status)}: ${response.text}`);
  if ('contentType' in route.response) return faults;
  if (route.response instanceof z.ZodUndefined)
    return response.text === '' ? faults : [...faults, `a body: ${response.text}`];
  if (!type.startsWith('application/json')) faults.push(`type ${type}`);
  return [...faults, ...faultsOfJson(route.response, response.text)];
}

/** Differences of a JSON text from a schema. */
export function faultsOfJson(schema: z.ZodType, text: string): string[] {
  const value = parseJson(text, Infinity);
  const read = z.safeDecode(schema, value);
  if (!read.success) return read.error.issues.map(({ path, message }) => `${path.join('.')}: ${message}`);
  const again = stringifyJson(sorted(z.encode(schema, read.data)));
  return again === stringifyJson(sorted(value)) ? [] : [`undeclared fields: ${text.slice(0, 500)}`];
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== 'object' || value === null) return value;
  const fields = Object.entries(value).filter(([, field]) => field !== undefined);
  return Object.fromEntries(fields.sort(([a], [b]) => (a < b ? -1 : 1)).map(([name, inner]) => [name, sorted(inner)]));
}
