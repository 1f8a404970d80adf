import { type DaemonRefusal, errorMessage, refusals, type RpcError, rpcErrors } from '@wrkz/api/daemon-errors';
import { BelowFloor, isUnreadableNow } from '@wrkz/chain-db';
import { HttpError, JsonRpcError, refusal, type ErrorRow } from '@wrkz/service-kit/base';
import type { InvalidField, Refusal } from '@wrkz/service-kit';

/**
 * Makes errors from the rows of the daemon's two error tables (`refusals`, `rpcErrors`). All errors of
 * the RPC are made here. Reader threads load this file, so it imports nothing of the HTTP server.
 */

/** An error response with its body. The error handler of service-kit sends it. */
export class RpcRefusal extends HttpError {
  constructor(status: number, body: Readonly<Record<string, unknown>>, headers: Readonly<Record<string, string>> = {}) {
    super(status, 'rpc_refusal', messageOf(body), headers, body);
  }
}

function messageOf(body: Readonly<Record<string, unknown>>): string {
  const text = body['error'] ?? body['errorMessage'];
  return typeof text === 'string' ? text : 'refused';
}

/** An error that ends by itself. @param seconds value of Retry-After */
export function refuseRetryable({ status, text }: DaemonRefusal, seconds = 1): RpcRefusal {
  return new RpcRefusal(status, { status: 'Failed', error: text }, { 'Retry-After': String(seconds) });
}

/** The events after a number were deleted; the body has the numbers after which the client may continue. */
export function refuseGone(after: number, keptAfter: number, latest: number): RpcRefusal {
  const { eventsGone } = refusals;
  const values = { after: String(after), keptAfter: String(keptAfter), latest: String(latest) };
  const error = errorMessage(eventsGone, values);
  return new RpcRefusal(eventsGone.status, { status: 'Failed', error, kept_after: keptAfter, latest });
}

/** The error of a row. @param values replace the placeholders of its text */
export function refuse(row: DaemonRefusal | RpcError, values: Readonly<Record<string, string>> = {}): Error {
  const text = errorMessage(row, values);
  switch (row.kind) {
    case 'json-rpc':
      return new JsonRpcError(row.code, text, row.status);
    case 'empty':
      return refusal('not_found');
    case 'wallet':
      return new RpcRefusal(row.status, { errorCode: row.code, errorMessage: text });
    default:
      return new RpcRefusal(row.status, { status: row.kind === 'busy' ? 'BUSY' : 'Failed', error: text });
  }
}

type BelowFloorRow = typeof refusals.belowFloor | typeof rpcErrors.blockBelowFloor;

/** The error for blocks or transactions that this node does not store. */
export function refuseBelowFloor(row: BelowFloorRow, { mode, floor }: Pick<BelowFloor, 'mode' | 'floor'>): Error {
  const data = mode === 'lite' ? 'transaction' : 'block';
  return refuse(row, { mode, data, height: String(floor) });
}

/** Runs `read`. @throws the error of `row` for data that this node does not store */
export function orRefuseBelowFloor<T>(row: BelowFloorRow, read: () => T): T {
  try {
    return read();
  } catch (error) {
    throw error instanceof BelowFloor ? refuseBelowFloor(row, error) : error;
  }
}

/** The result of `read`. @param busy makes the error while the chain cannot be read; other errors are unchanged */
export function readOrBusy<T>(read: () => T, busy: () => Error): T {
  try {
    return read();
  } catch (error) {
    throw isUnreadableNow(error) ? busy() : error;
  }
}

/** The result of `read`; undefined while the chain cannot be read. */
export function readIfAvailable<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch (error) {
    if (isUnreadableNow(error)) return undefined;
    throw error;
  }
}

/** Max characters of an invalid body that the error quotes. */
const MAX_QUOTED = 256;

/** The error for a body that is not JSON. */
export function refuseNotJson(body: string): Error {
  const quoted =
    body === ''
      ? ''
      : 'Warning: received body is not JSON encoded!\nKey/value parameters are NOT supported.\nBody:\n' +
        body.slice(0, MAX_QUOTED);
  return refuse(refusals.notJson, { quoted });
}

/** The names of the expected types in the error texts. */
const TYPE_NAMES: Readonly<Record<string, string>> = {
  bigint: 'uint64_t',
  string: 'String',
  boolean: 'Bool',
  array: 'Array',
  object: 'Object',
};

/** The error for an invalid field. A number out of range has the wrong type; other values have the error of the declaration. */
export function refuseField({ name, value, kind, expected }: InvalidField, row: ErrorRow | undefined): Error {
  if (kind === 'missing') return refuse(refusals.missing, { name });
  if (kind === 'value' && row !== undefined) return refuse(row as DaemonRefusal | RpcError);
  return refuse(refusals.wrongType, { expected: TYPE_NAMES[expected] ?? expected, got: jsonTypeName(value) });
}

/** The type name of a value in the reference's JSON library. */
function jsonTypeName(value: unknown): string {
  if (value === null) return 'Null';
  if (value === true) return 'True';
  if (value === false) return 'False';
  if (Array.isArray(value)) return 'Array';
  if (typeof value === 'string') return 'String';
  return typeof value === 'object' ? 'Object' : 'Number';
}

/** The body for a connection above the limit of its address. The server sends it without a request. */
export const overCapBody = JSON.stringify({ error: refusals.tooManyConnections.text, status: 'Failed' });

/** The texts for errors of the shared HTTP code. */
const TEXTS: Readonly<Partial<Record<Refusal['code'], string>>> = {
  unauthorized: refusals.unauthorized.text,
  foreign_host: refusals.foreignHost.text,
  foreign_origin: refusals.foreignOrigin.text,
  body_too_large: refusals.bodyTooLarge.text,
  rate_limited: refusals.tooManyRequests.text,
};

/** The body of an error of the shared HTTP code, in the daemon's shape. Unknown paths have an empty body. */
export function refusalBody({ code, message }: Refusal): unknown {
  if (code === 'not_found') return undefined;
  const error = code === 'internal' ? errorMessage(refusals.internal, { message }) : (TEXTS[code] ?? message);
  return { error, status: 'Failed' };
}
