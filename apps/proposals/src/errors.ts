import type { IncomingMessage } from 'node:http';
import { errorMessage, proposalsApi } from '@wrkz/api';
import { FinishedText, HttpError, type Refusal, type RefusalBody } from '@wrkz/service-kit';
import { errorPage, type Site } from './pages/site';

const { proposalErrors, QR_DOCSTRING } = proposalsApi;

export const HTML_TYPE = 'text/html; charset=utf-8';

/** An error response. Its code is the name in `proposalErrors`. */
export class ProposalsError extends HttpError {
  constructor(
    name: keyof typeof proposalErrors,
    values: Readonly<Record<string, string>> = {},
    headers: Readonly<Record<string, string>> = {},
  ) {
    const row = proposalErrors[name];
    super(row.status, name, errorMessage(row, values), headers);
  }
}

/** Texts of errors of the HTTP framework. The cause of an internal error is only logged. */
const SHARED_TEXTS: Readonly<Record<string, string>> = {
  rate_limited: proposalErrors.rateLimited.text,
  internal: proposalErrors.internal.text,
};

/** Error body: JSON for API paths, otherwise a page. */
export function errorBody(site: Site): RefusalBody {
  return ({ status, code, message }: Refusal, { url = '' }: IncomingMessage) => {
    const data = SHARED_TEXTS[code] ?? message;
    if (!isApiPath(url)) return new FinishedText(HTML_TYPE, site.page(errorPage(status, data)));
    return { data, docstring: /^\/api\/1\/qr(\?|$)/.test(url) ? QR_DOCSTRING : null };
  };
}

/** Whether errors of this path, with or without a query, are JSON. */
export function isApiPath(path: string): boolean {
  return /^\/(api\/|openapi\.json|metrics|livez|readyz)/.test(path);
}
