import { daemonApi, errorMessage } from '@wrkz/api';
import { HttpError, JsonRpcError, refusal, type ErrorRow } from '@wrkz/service-kit/base';
import type { InvalidField, Refusal } from '@wrkz/service-kit';

/**
 * How the rows of the daemon's two tables of errors (`daemonApi.refusals`, `daemonApi.rpcErrors`) become answers. Nothing
 * else in the RPC makes an error.
 */

/** A refusal with its finished body; routes throw it, the error handler of service-kit answers it. */
export class RpcRefusal extends HttpError {
  constructor(status: number, body: Readonly<Record<string, unknown>>, headers: Readonly<Record<string, string>> = {}) {
    super(status, 'rpc_refusal', messageOf(body), headers, body);
  }
}

function messageOf(body: Readonly<Record<string, unknown>>): string {
  const text = body['error'] ?? body['errorMessage'];
  return typeof text === 'string' ? text : 'refused';
}

/** Seconds after which a caller may try again, whom only the load of the moment keeps from an answer. */
const RETRY_AFTER = { 'Retry-After': '1' };

/** More waits for the reader threads than may. */
export function refuseOverload(): RpcRefusal {
  const { status, text } = daemonApi.refusals.overloaded;
  return new RpcRefusal(status, { status: 'Failed', error: text }, RETRY_AFTER);
}

/** The node behind a reader process does not answer. */
export function refuseNode({ status, text }: daemonApi.DaemonRefusal): RpcRefusal {
  return new RpcRefusal(status, { status: 'Failed', error: text }, RETRY_AFTER);
}

/** The events after a number are not kept; the answer tells the numbers after which one may go on. */
export function refuseGone(after: number, keptAfter: number, latest: number): RpcRefusal {
  const { eventsGone } = daemonApi.refusals;
  const values = { after: String(after), keptAfter: String(keptAfter), latest: String(latest) };
  const error = errorMessage(eventsGone, values);
  return new RpcRefusal(eventsGone.status, { status: 'Failed', error, kept_after: keptAfter, latest });
}

/** The error to be thrown for a row; `values` fill the braces of its text. */
export function refuse(
  row: daemonApi.DaemonRefusal | daemonApi.RpcError,
  values: Readonly<Record<string, string>> = {},
): Error {
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

/** At most so much of a body that is no JSON is quoted back. */
const ECHO_LIMIT = 256;

export function refuseNotJson(body: string): Error {
  const quoted =
    body === ''
      ? ''
      : 'Warning: received body is not JSON encoded!\nKey/value parameters are NOT supported.\nBody:\n' +
        body.slice(0, ECHO_LIMIT);
  return refuse(daemonApi.refusals.notJson, { quoted });
}

/** The names that the refusals give to the types that a schema asks for. */
const TYPE_NAMES: Readonly<Record<string, string>> = {
  bigint: 'uint64_t',
  string: 'String',
  boolean: 'Bool',
  array: 'Array',
  object: 'Object',
};

/** A number out of range is one of another type; for every other wrong value the declaration names the refusal. */
export function refuseMember({ name, value, kind, expected }: InvalidField, row: ErrorRow | undefined): Error {
  if (kind === 'missing') return refuse(daemonApi.refusals.missing, { name });
  if (kind === 'value' && row !== undefined) return refuse(row as daemonApi.DaemonRefusal | daemonApi.RpcError);
  return refuse(daemonApi.refusals.wrongType, { expected: TYPE_NAMES[expected] ?? expected, got: jsonTypeName(value) });
}

/** The name that the reference's JSON library gives a value's type, as its refusals print it. */
function jsonTypeName(value: unknown): string {
  if (value === null) return 'Null';
  if (value === true) return 'True';
  if (value === false) return 'False';
  if (Array.isArray(value)) return 'Array';
  if (typeof value === 'string') return 'String';
  return typeof value === 'object' ? 'Object' : 'Number';
}

/** The body for a connection over the cap of its address, which the server itself turns away. */
export const overCapBody = JSON.stringify({ error: daemonApi.refusals.tooManyConnections.text, status: 'Failed' });

/** The body of what the shared HTTP parts refuse, in the daemon's shape. Unrouted paths answer without a body. */
export function refusalBody({ code, message }: Refusal): unknown {
  const { unauthorized, foreignHost, foreignOrigin, bodyTooLarge, tooManyRequests, internal } = daemonApi.refusals;
  switch (code) {
    case 'not_found':
      return undefined;
    case 'unauthorized':
      return { error: unauthorized.text, status: 'Failed' };
    case 'foreign_host':
      return { error: foreignHost.text, status: 'Failed' };
    case 'foreign_origin':
      return { error: foreignOrigin.text, status: 'Failed' };
    case 'body_too_large':
      return { error: bodyTooLarge.text, status: 'Failed' };
    case 'rate_limited':
      return { error: tooManyRequests.text, status: 'Failed' };
    case 'internal':
      return { error: errorMessage(internal, { message }), status: 'Failed' };
    default:
      return { error: message, status: 'Failed' };
  }
}
