import { HttpError, refusal, type Refusal } from '@wrkz/service-kit';

/**
 * Everything that the RPC refuses, in one place: what it means, the HTTP status and the body.
 * Texts are the reference's, word for word, because clients match on them (daemon-rpc facts, sections 2 to 5).
 */

/** A refusal with its finished body; routes throw it, the error edge of service-kit answers it. */
export class RpcRefusal extends HttpError {
  constructor(status: number, body: Readonly<Record<string, unknown>>) {
    super(status, 'rpc_refusal', messageOf(body), {}, body);
  }
}

function messageOf(body: Readonly<Record<string, unknown>>): string {
  const text = body['error'] ?? body['errorMessage'];
  return typeof text === 'string' ? text : 'refused';
}

/** A JSON-RPC error: HTTP status 200 (503 while the core is busy) with an `error` object. */
export class JsonRpcError extends Error {
  override readonly name = 'JsonRpcError';

  constructor(
    readonly code: number,
    message: string,
    readonly status = 200,
  ) {
    super(message);
  }
}

const failed = (status: number, error: string): RpcRefusal => new RpcRefusal(status, { status: 'Failed', error });

const NOT_JSON = 'Failed to parse request body as JSON';

/** At most so much of a body that is no JSON is quoted back. */
const ECHO_LIMIT = 256;

export const refusals = {
  notJson: (body: string): RpcRefusal =>
    failed(
      400,
      body === ''
        ? NOT_JSON
        : 'Warning: received body is not JSON encoded!\nKey/value parameters are NOT supported.\nBody:\n' +
            body.slice(0, ECHO_LIMIT) +
            NOT_JSON,
    ),
  missing: (name: string): RpcRefusal => failed(400, `Missing JSON parameter: '${name}'`),
  wrongType: (expected: string, got: string): RpcRefusal =>
    failed(400, `JSON parameter is wrong type. Expected ${expected}, got ${got}`),
  badRequest: (text: string): RpcRefusal => failed(400, text),
  walletStyle: (errorCode: number, errorMessage: string): RpcRefusal =>
    new RpcRefusal(400, { errorCode, errorMessage }),
  notSynced: (): RpcRefusal =>
    failed(503, 'Daemon must be synced to process this RPC method call, please retry when synced.'),
  busy: (): RpcRefusal => new RpcRefusal(503, { status: 'BUSY', error: 'Chain is reorganizing, please retry shortly' }),
  notFound: (): HttpError => refusal('not_found'),
  forbidden: (): RpcRefusal =>
    failed(
      403,
      'You do not have permission to access this method. Please relaunch your daemon with --daemon-mode explorer to access explorer RPC methods.',
    ),
} as const;

/** The body of what the shared HTTP parts refuse, in the daemon's shape. Unrouted paths answer without a body. */
export function refusalBody({ code, message }: Refusal): unknown {
  switch (code) {
    case 'not_found':
      return undefined;
    case 'unauthorized':
      return { error: 'Unauthorized RPC request', status: 'Failed' };
    case 'body_too_large':
      return { error: 'RPC request body too large.', status: 'Failed' };
    case 'rate_limited':
      return { error: 'Too many RPC requests, please retry later', status: 'Failed' };
    case 'internal':
      return { error: `Internal server error: ${message}`, status: 'Failed' };
    default:
      return { error: message, status: 'Failed' };
  }
}
