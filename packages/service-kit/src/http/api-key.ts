import { createHash, timingSafeEqual } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { RequestHandler } from 'express';
import { refusal } from './errors';

export interface ApiKeyOptions {
  /** The key asked for; empty or undefined: everyone may come in. */
  readonly key: string | undefined;
  /** When X-API-Key is absent or empty, `Authorization: Bearer <key>` counts too. */
  readonly bearer?: boolean;
}

const digest = (text: string): Buffer => createHash('sha256').update(text).digest();

/** Compares two secrets in a time that does not depend on where they differ. */
export function secretsEqual(left: string, right: string): boolean {
  return timingSafeEqual(digest(left), digest(right));
}

/** Refuses requests without the key (401), with one answer for missing, short, long and wrong keys. */
export function apiKey({ key, bearer = false }: ApiKeyOptions): RequestHandler {
  if (key === undefined || key === '') return (_request, _response, next) => next();
  return (request, _response, next) => {
    next(secretsEqual(presentedKey(request, bearer), key) ? undefined : refusal('unauthorized'));
  };
}

function presentedKey(request: IncomingMessage, bearer: boolean): string {
  const header = request.headers['x-api-key'];
  if (typeof header === 'string' && header !== '') return header;
  const authorization = request.headers.authorization ?? '';
  return bearer && authorization.startsWith('Bearer ') ? authorization.slice('Bearer '.length) : '';
}
