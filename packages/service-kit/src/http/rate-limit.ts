import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Request, Response } from 'express';
import { rateLimit, type Store } from 'express-rate-limit';
import { countedAddress } from '../addresses';
import { clientAddressOf, isLoopback, listenerOf } from './client-address';
import { refusal } from './errors';

const MINUTE_MS = 60_000;

/** Counts hits in windows that begin with each clock minute. A counter may be shared between processes. */
export interface MinuteCounter {
  /** @returns hits of the key in this minute, with this one */
  hit(key: string): number | Promise<number>;
}

/** A counter in memory. */
export function memoryMinuteCounter(now: () => number = Date.now): MinuteCounter {
  const counts = new Map<string, number>();
  let minute = -1;
  return {
    hit(key) {
      const current = Math.floor(now() / MINUTE_MS);
      if (current !== minute) counts.clear();
      minute = current;
      const count = (counts.get(key) ?? 0) + 1;
      counts.set(key, count);
      return count;
    },
  };
}

/** Seconds until the next clock minute, 1 to 60, for Retry-After. */
export function secondsToNextMinute(now: number = Date.now()): number {
  return Math.max(1, Math.ceil((MINUTE_MS - (now % MINUTE_MS)) / 1000));
}

export interface RateLimitOptions {
  /** Max requests per minute of one client address (IPv6: one /64); 0: no limit. */
  readonly perMinute: number;
  /** Requests of this machine are not counted. */
  readonly exemptLoopback?: boolean;
  readonly counter?: MinuteCounter;
  readonly now?: () => number;
}

/** The headers of a counted response. */
export const RATE_HEADERS = ['RateLimit-Limit', 'RateLimit-Remaining', 'RateLimit-Reset'] as const;

/** Counts a request and sets the headers. Rejects with HttpError 429, with Retry-After, above the limit. */
export type RateLimiter = (request: IncomingMessage, response: ServerResponse) => Promise<void>;

/** Requests over a socket file are never counted. */
export function rateLimiter(options: RateLimitOptions): RateLimiter {
  const { perMinute, exemptLoopback = false, now = Date.now, counter = memoryMinuteCounter(now) } = options;
  if (perMinute <= 0) return () => Promise.resolve();
  const store: Store = {
    increment: async (key) => ({
      totalHits: await counter.hit(key),
      // The library subtracts the time of the system; at least a second is left, so that Retry-After is never 0.
      resetTime: new Date(Date.now() + secondsToNextMinute(now()) * 1000),
    }),
    decrement: () => undefined,
    resetKey: () => undefined,
  };
  const middleware = rateLimit({
    ...{
      windowMs: MINUTE_MS,
      limit: perMinute,
      store,
      standardHeaders: 'draft-6',
      legacyHeaders: false,
      validate: false,
    },
    keyGenerator: (request) => countedAddress(clientAddressOf(request)),
    skip: (request) => listenerOf(request) === 'local' || (exemptLoopback && isLoopback(clientAddressOf(request))),
    handler: (_request, _response, next) => next(refusal('rate_limited')),
  });
  return (request, response) =>
    new Promise((resolve, reject) => {
      const next = (error?: unknown): void =>
        error === undefined ? resolve() : reject(error instanceof Error ? error : new Error('the rate limit failed'));
      // The middleware only uses what Node.js has.
      middleware(request as Request, response as Response, next);
    });
}
