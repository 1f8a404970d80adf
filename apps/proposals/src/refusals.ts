import type { IncomingMessage } from 'node:http';
import { errorMessage, proposalsApi } from '@wrkz/api';
import { HttpError, type Refusal } from '@wrkz/service-kit';
import type { z } from 'zod';

const { proposalErrors, QR_DOCSTRING } = proposalsApi;

export type ProposalRefusalName = keyof typeof proposalErrors;

/** A refusal, thrown in a handler and answered by the error handler. Its code is its name in `proposalErrors`. */
export class ProposalRefusal extends HttpError {
  constructor(
    readonly reason: ProposalRefusalName,
    values: Readonly<Record<string, string>> = {},
    headers: Readonly<Record<string, string>> = {},
  ) {
    const row = proposalErrors[reason];
    super(row.status, reason, errorMessage(row, values), headers);
  }
}

/** The refusals of the shared HTTP parts, in this service's words. */
const SHARED_TEXTS: Readonly<Record<string, string>> = {
  rate_limited: proposalErrors.rateLimited.text,
  // what went wrong inside is for the log alone
  internal: proposalErrors.internal.text,
};

/** What a refusal tells, in this service's words. */
export function refusalText({ code, message }: Pick<Refusal, 'code' | 'message'>): string {
  return SHARED_TEXTS[code] ?? message;
}

/** The body of a refusal below /api/ and of whatever else is for programs. */
export function refusalJson(
  refused: Refusal,
  { url = '' }: IncomingMessage,
): z.output<typeof proposalsApi.proposalErrorBody> {
  return { data: refusalText(refused), docstring: /^\/api\/1\/qr(\?|$)/.test(url) ? QR_DOCSTRING : null };
}

/** Whether refusals of a path, with its query or without, are for programs; everywhere else people see a page. */
export function isForPrograms(path: string): boolean {
  return /^\/(api\/|openapi\.json|metrics|livez|readyz)/.test(path);
}
