/** A declared error: a possible response, and its condition. `packages/api` has the errors of all services. */
export interface ErrorRow {
  readonly status: number;
  /** Text for the client, possibly with placeholders like `{name}`. */
  readonly text: string;
  /** Code beside the text, such as the number of a JSON-RPC or wallet error. */
  readonly code?: string | number | undefined;
  /** `data.application_code` of a JSON-RPC error whose code is shared by many errors. */
  readonly application?: number | undefined;
  /** One sentence for the documentation: the condition. */
  readonly when: string;
}

/** The errors of the shared HTTP code: status and default text. */
export const HTTP_REFUSALS = {
  bad_request: { status: 400, text: 'Bad request' },
  unauthorized: { status: 401, text: 'Missing or incorrect API key' },
  forbidden: { status: 403, text: 'Not allowed' },
  foreign_host: { status: 403, text: 'Requests for this host are not answered' },
  foreign_origin: { status: 403, text: 'Pages of this origin are not answered' },
  not_found: { status: 404, text: 'Not found' },
  timeout: { status: 408, text: 'The request did not arrive in time' },
  body_too_large: { status: 413, text: 'The request body is too large' },
  unsupported_encoding: { status: 415, text: 'Encoded request bodies are not accepted' },
  upgrade_required: { status: 426, text: 'Only an upgrade to WebSocket of version 13 is answered here' },
  rate_limited: { status: 429, text: 'Too many requests, please retry later' },
  internal: { status: 500, text: 'Internal error' },
  unavailable: { status: 503, text: 'Not available now, please retry later' },
} as const;

/** A code of HTTP_REFUSALS, or of the service. */
export type RefusalCode = keyof typeof HTTP_REFUSALS | (string & {});

/** An error response. Handlers throw it. */
export class HttpError extends Error {
  constructor(
    readonly status: number,
    readonly code: RefusalCode,
    message: string,
    /** Additional headers, such as Retry-After. */
    readonly headers: Readonly<Record<string, string>> = {},
    /** The whole body; by default the service makes it from code and message. */
    readonly body?: unknown,
  ) {
    super(message);
    this.name = 'HttpError';
  }
}

export function refusal(
  code: keyof typeof HTTP_REFUSALS,
  details: { message?: string; headers?: Readonly<Record<string, string>> } = {},
): HttpError {
  const { status, text } = HTTP_REFUSALS[code];
  return new HttpError(status, code, details.message ?? text, details.headers);
}

export class JsonRpcError extends Error {
  override readonly name = 'JsonRpcError';

  constructor(
    readonly code: number,
    message: string,
    readonly status = 200,
    /** The field `data` of the error object. */
    readonly data?: unknown,
  ) {
    super(message);
  }
}
