import { isErrorMessage, powHelperApi, type ApiError } from '@wrkz/api';
import { isDeepStrictEqual } from 'node:util';
import { errorsOfRoute, parseJson, stringifyJson, type Route } from '@wrkz/service-kit';
import { z } from 'zod';
import { POW_SERVICE } from '../../src/routes';
import type { PowRoute } from '../../src/routes';
import type { HttpAnswer } from './http-client';

/** Those of the errors that an answer can be. */
export function matching(rows: readonly ApiError[], { status, text }: HttpAnswer): ApiError[] {
  return rows.filter((row) => row.status === status && (row.text === '' ? text === '' : isError(row, text)));
}

function isError(row: ApiError, text: string): boolean {
  const { success, data } = z.union([powHelperApi.powErrorBody.strict(), READINESS]).safeParse(parsed(text));
  return success && isErrorMessage(row, 'error' in data ? data.error : data.status);
}

/** GET /readyz says that it is not ready in an answer of its own shape. */
const READINESS = z.strictObject({ status: z.literal('UNAVAILABLE') });

/**
 * What an answer of a route holds that its declaration does not say: a status or an error that is not among its own,
 * members that the schema does not know, values that it does not take. Empty when all is declared.
 */
export function undeclared(route: PowRoute, answer: HttpAnswer): string[] {
  const { status, text } = answer;
  if (status !== 200) {
    const rows = matching(errorsOfRoute(POW_SERVICE, route as Route<never, never>), answer);
    return rows.length === 0 ? [`${String(status)} ${text}`] : [];
  }
  if ('contentType' in route.answer) {
    return answer.headers['content-type'] === route.answer.contentType ? [] : [String(answer.headers['content-type'])];
  }
  const sent = parsed(text);
  const read = z.safeDecode(route.answer, sent);
  if (!read.success) return read.error.issues.map(({ path, message }) => `${path.join('.')}: ${message}`);
  // what the schema does not know is lost on the way there and back
  return same(z.encode(route.answer, read.data), sent) ? [] : [`more than declared: ${text}`];
}

/** Whether two values are the same JSON, in whatever order their members stand. */
function same(left: unknown, right: unknown): boolean {
  const [one, other] = [left, right].map((value) => parseJson(stringifyJson(value)));
  return isDeepStrictEqual(one, other);
}

/** Undefined for what is no JSON. */
function parsed(text: string): unknown {
  try {
    return parseJson(text);
  } catch {
    return undefined;
  }
}
