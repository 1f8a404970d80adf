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
  /** Replaces `key` in a program with several keys: checks the presented key ('' for none) and returns the refusal. */
  readonly judge?: ((presented: string, request: IncomingMessage) => Promise<HttpError | undefined>) | undefined;
}

/** Says what is wrong with a key given as an option, or undefined: some that no header can carry would lock out everybody. */
export function checkApiKey(key: string): string | undefined {
  // eslint-disable-next-line no-control-regex -- these are what a header cannot hold
  return /^\s|\s$|[\u0000-\u001f\u007f]/u.test(key)
    ? 'blanks at the ends and control characters do not pass in a header'
    : undefined;
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
  judge,
}: ApiKeyOptions): (request: IncomingMessage) => Promise<HttpError | undefined> | HttpError | undefined {
  if (judge !== undefined) return (request) => judge(presentedKey(request, bearer), request);
  if (key === undefined || key === '') return () => undefined;
  return (request) => {
    if (!local && listenerOf(request) === 'local') return undefined;
    return secretsEqual(presentedKey(request, bearer), key) ? undefined : refusal('unauthorized');
  };
}

/** Refuses requests without the key. */
export function apiKey(options: ApiKeyOptions): RequestHandler {
  const check = keyCheck(options);
  return async (request, _response, next) => next(await check(request));
}

function presentedKey(request: IncomingMessage, bearer: boolean): string {
  const header = request.headers['x-api-key'];
  if (typeof header === 'string' && header !== '') return sentText(header);
  const authorization = request.headers.authorization ?? '';
  return bearer && authorization.startsWith('Bearer ') ? sentText(authorization.slice('Bearer '.length)) : '';
}

/** Node reads each byte of a header as a character; callers send a key in UTF-8, as it stands in the configuration. */
const sentText = (header: string): string => Buffer.from(header, 'latin1').toString('utf8');
