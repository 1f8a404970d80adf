import { z } from 'zod';
import { parseJson, stringifyJson } from '@wrkz/service-kit';
import type { WalletRoute } from '../../src/routes/declare';
import type { ServiceResponse } from '../support/service';

/** How a response differs from its declaration: status, content type, exactly the declared fields. */
export function faultsOf(
  { answer, status = 200 }: Pick<WalletRoute, 'answer' | 'status'>,
  answered: ServiceResponse,
): string[] {
  const type = String(answered.headers['content-type'] ?? '');
  const faults: string[] = [];
  if (answered.status !== status) faults.push(`status ${String(answered.status)}: ${answered.text}`);
  if ('contentType' in answer) return faults;
  if (answer instanceof z.ZodUndefined) return answered.text === '' ? faults : [...faults, `a body: ${answered.text}`];
  if (!type.startsWith('application/json')) faults.push(`type ${type}`);
  return [...faults, ...faultsOfJson(answer, answered.text)];
}

/** Whether a text matches a schema, field by field. */
export function faultsOfJson(schema: z.ZodType, text: string): string[] {
  const value = parseJson(text, Infinity);
  const read = z.safeDecode(schema, value);
  if (!read.success) return read.error.issues.map(({ path, message }) => `${path.join('.')}: ${message}`);
  const again = stringifyJson(sorted(z.encode(schema, read.data)));
  return again === stringifyJson(sorted(value)) ? [] : [`more members than declared: ${text.slice(0, 500)}`];
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== 'object' || value === null) return value;
  const members = Object.entries(value).filter(([, member]) => member !== undefined);
  return Object.fromEntries(members.sort(([a], [b]) => (a < b ? -1 : 1)).map(([name, inner]) => [name, sorted(inner)]));
}
