import { isErrorMessage, powHelperApi, type ApiError } from '@wrkz/api';
import { isDeepStrictEqual } from 'node:util';
import { errorsOfRoute, parseJson, stringifyJson, type Route } from '@wrkz/service-kit';
import { z } from 'zod';
import { POW_SERVICE } from '../../src/routes';
import type { PowRoute } from '../../src/routes';
import type { HttpAnswer } from './http-client';

/** The errors that match a response. */
export function matching(rows: readonly ApiError[], { status, text }: HttpAnswer): ApiError[] {
  return rows.filter((row) => row.status === status && (row.text === '' ? text === '' : isError(row, text)));
}

function isError(row: ApiError, text: string): boolean {
  const { success, data } = z.union([powHelperApi.powErrorBody.strict(), READINESS]).safeParse(parsed(text));
  return success && isErrorMessage(row, 'error' in data ? data.error : data.status);
}

/** The response of GET /readyz when the service is not ready. */
const READINESS = z.strictObject({ status: z.literal('UNAVAILABLE') });

/**
 * Differences of a response from the declaration of its route: an undeclared status, error or field, or a value that the
 * schema refuses. Empty if there are none.
 */
export function undeclared(route: PowRoute, response: HttpAnswer): string[] {
  const { status, text } = response;
  if (status !== 200) {
    const rows = matching(errorsOfRoute(POW_SERVICE, route as Route<never, never>), response);
    return rows.length === 0 ? [`${String(status)} ${text}`] : [];
  }
  if ('contentType' in route.response) {
    return response.headers['content-type'] === route.response.contentType
      ? []
      : [String(response.headers['content-type'])];
  }
  const sent = parsed(text);
  const read = z.safeDecode(route.response, sent);
  if (!read.success) return read.error.issues.map(({ path, message }) => `${path.join('.')}: ${message}`);
  // Decoding drops fields that the schema does not declare.
  return same(z.encode(route.response, read.data), sent) ? [] : [`undeclared fields: ${text}`];
}

/** Whether two values are equal JSON, regardless of the order of fields. */
function same(left: unknown, right: unknown): boolean {
  const [one, other] = [left, right].map((value) => parseJson(stringifyJson(value)));
  return isDeepStrictEqual(one, other);
}

/** @returns undefined for a text that is not JSON */
function parsed(text: string): unknown {
  try {
    return parseJson(text);
  } catch {
    return undefined;
  }
}
