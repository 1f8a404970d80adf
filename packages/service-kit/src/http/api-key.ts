import { createHash, timingSafeEqual } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { RequestHandler } from 'express';
import { type HttpError, refusal } from './errors';
import { listenerOf } from './listener-kind';

export interface ApiKeyOptions {
  /** The key asked for; empty or undefined: everyone may come in. */
  readonly key: string | undefined;
  /** When X-API-Key is absent or empty, `Authorization: Bearer <key>` counts too. */
  readonly bearer?: boolean;
  /** Callers over a local socket need it too; else the rights of its file are enough. */
  readonly local?: boolean;
}

const digest = (text: string): Buffer => createHash('sha256').update(text).digest();

/** Compares two secrets in a time that does not depend on where they differ. */
export function secretsEqual(left: string, right: string): boolean {
  return timingSafeEqual(digest(left), digest(right));
}

/** Looks for the key: 401 with one answer for missing, short, long and wrong ones, or undefined. */
export function keyCheck({
  key,
  bearer = false,
  local = false,
}: ApiKeyOptions): (request: IncomingMessage) => HttpError | undefined {
  if (key === undefined || key === '') return () => undefined;
  return (request) => {
    if (!local && listenerOf(request) === 'local') return undefined;
    return secretsEqual(presentedKey(request, bearer), key) ? undefined : refusal('unauthorized');
  };
}

/** Refuses requests without the key. */
export function apiKey(options: ApiKeyOptions): RequestHandler {
  const check = keyCheck(options);
  return (request, _response, next) => next(check(request));
}

function presentedKey(request: IncomingMessage, bearer: boolean): string {
  const header = request.headers['x-api-key'];
  if (typeof header === 'string' && header !== '') return header;
  const authorization = request.headers.authorization ?? '';
  return bearer && authorization.startsWith('Bearer ') ? authorization.slice('Bearer '.length) : '';
}
