/** Every refusal the shared HTTP parts can give: its status and its plain text. An app may word each one its own way. */
export const HTTP_REFUSALS = {
  bad_request: { status: 400, text: 'Bad request' },
  bad_json: { status: 400, text: 'The body is not valid JSON' },
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

/** A row of HTTP_REFUSALS, or a code of the app's own table. */
export type RefusalCode = keyof typeof HTTP_REFUSALS | (string & {});

/** A request that is answered with an error. Thrown anywhere in a handler, turned into the answer by the error handler. */
export class HttpError extends Error {
  constructor(
    readonly status: number,
    readonly code: RefusalCode,
    message: string,
    /** Extra headers of the answer, e.g. Retry-After. */
    readonly headers: Readonly<Record<string, string>> = {},
    /** A finished body that replaces the one made from code and message. */
    readonly body?: unknown,
  ) {
    super(message);
    this.name = 'HttpError';
  }
}

/** The HttpError of a row of the table. */
export function refusal(
  code: keyof typeof HTTP_REFUSALS,
  details: { message?: string; headers?: Readonly<Record<string, string>> } = {},
): HttpError {
  const { status, text } = HTTP_REFUSALS[code];
  return new HttpError(status, code, details.message ?? text, details.headers);
}
