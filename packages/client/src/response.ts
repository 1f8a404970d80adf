import { parseJson } from '@wrkz/service-kit/base';
import type { z } from 'zod';
import { NodeFailure, sanitizedText } from './failure';
import type { NodeResponse } from './transport';

/** Default max number of JSON values in a response. */
const MAX_VALUES = 100_000;

/**
 * Parses a response with the schema of its route. Integers are exact.
 * @throws NodeFailure for an HTTP status other than 200, a `status` field other than OK, and a schema mismatch
 */
export function parseResponse<S extends z.ZodType>(response: NodeResponse, schema: S): z.output<S> {
  requireSuccess(response);
  const body = readJsonBody(response.body);
  requireOk(body);
  const parsed = schema.safeParse(body);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  throw new NodeFailure(
    'malformed',
    `returned an invalid response: ${issue?.path.join('.') ?? ''} ${issue?.message ?? ''}`,
  );
}

/** @throws NodeFailure when the text is not JSON or has more than `maxValues` values */
export function readJsonBody(body: Buffer, maxValues = MAX_VALUES): unknown {
  try {
    return parseJson(body.toString('utf8'), maxValues);
  } catch (error) {
    throw new NodeFailure('malformed', `returned a response that is not JSON: ${(error as Error).message}`);
  }
}

/** @throws NodeFailure for every HTTP status except 200 */
export function requireSuccess({ status, body }: NodeResponse): void {
  if (status === 200) return;
  const said = errorBody(body);
  const facts = { ...said, status, isEmpty: body.length === 0 };
  const reason = said.text === undefined ? '' : `: ${said.text}`;
  if (status === 429) throw new NodeFailure('rateLimited', 'is rate limiting this wallet (429)', facts);
  if (status >= 400 && status < 500) throw new NodeFailure('refused', `refused (${String(status)})${reason}`, facts);
  throw new NodeFailure('failed', `failed (${String(status)})${reason}`, facts);
}

/** Rejects `status` fields such as BUSY in responses with HTTP status 200. The schema decides whether Failed is valid. */
function requireOk(body: unknown): void {
  const status = typeof body === 'object' && body !== null ? (body as { status?: unknown }).status : undefined;
  if (typeof status !== 'string' || status === 'OK' || status === 'Failed') return;
  throw new NodeFailure('failed', `returned the status ${JSON.stringify(sanitizedText(status) ?? '')}`);
}

function errorBody(body: Buffer): { text?: string; errorCode?: number } {
  if (body.length === 0 || body.length > 65_536) return {};
  let parsed: unknown;
  try {
    parsed = parseJson(body.toString('utf8'));
  } catch {
    return {};
  }
  if (typeof parsed !== 'object' || parsed === null) return {};
  const { error, errorMessage, errorCode } = parsed as Record<string, unknown>;
  const text = sanitizedText(error) ?? sanitizedText(errorMessage);
  return {
    ...(text === undefined ? {} : { text }),
    ...(typeof errorCode === 'bigint' ? { errorCode: Number(errorCode) } : {}),
  };
}
