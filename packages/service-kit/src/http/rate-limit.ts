import type { IncomingMessage } from 'node:http';
import type { RequestHandler } from 'express';
import { countedAddress } from '../addresses';
import { clientAddressOf, isLoopback } from './client-address';
import { type HttpError, refusal } from './errors';
import { listenerOf } from './listener-kind';

const MINUTE_MS = 60_000;

/** Counts events in fixed windows aligned on the clock minute. May be shared between processes, hence asynchronous. */
export interface MinuteCounter {
  /** Counts one event under a key and returns how many the present minute has seen, this one included. */
  hit(key: string): number | Promise<number>;
}

/** A counter in this process's memory, emptied at every new minute. */
export function memoryMinuteCounter(now: () => number = Date.now): MinuteCounter {
  const counts = new Map<string, number>();
  let minute = -1;
  return {
    hit(key) {
      const current = Math.floor(now() / MINUTE_MS);
      if (current !== minute) {
        counts.clear();
        minute = current;
      }
      const count = (counts.get(key) ?? 0) + 1;
      counts.set(key, count);
      return count;
    },
  };
}

/** Whole seconds until the next clock minute, 1 to 60: the Retry-After of a refusal. */
export function secondsToNextMinute(now: number = Date.now()): number {
  return Math.max(1, Math.ceil((MINUTE_MS - (now % MINUTE_MS)) / 1000));
}

export interface RateLimitOptions {
  /** Requests a minute for one client address (IPv6: one /64); 0 switches the limit off. */
  readonly perMinute: number;
  /** Callers from this machine are not counted. */
  readonly exemptLoopback?: boolean;
  readonly counter?: MinuteCounter;
  readonly now?: () => number;
}

/** What one client address has used of its limit in the present minute. */
export interface RateUse {
  readonly limit: number;
  /** This request included. */
  readonly used: number;
  /** Seconds until it may ask again as often. */
  readonly reset: number;
}

export type RateCounter = (request: IncomingMessage) => Promise<RateUse | undefined>;

/** Counts requests by client address. Who is exempt is not counted: undefined. Callers over a local socket always are. */
export function rateCounter(options: RateLimitOptions): RateCounter {
  const { perMinute, exemptLoopback = false, now = Date.now } = options;
  if (perMinute <= 0) return () => Promise.resolve(undefined);
  const counter = options.counter ?? memoryMinuteCounter(now);
  return async (request) => {
    const address = clientAddressOf(request);
    if (listenerOf(request) === 'local' || (exemptLoopback && isLoopback(address))) return undefined;
    const used = await counter.hit(countedAddress(address));
    return { limit: perMinute, used, reset: secondsToNextMinute(now()) };
  };
}

/** The headers that tell a caller of its limit. */
export const RATE_HEADERS = ['RateLimit-Limit', 'RateLimit-Remaining', 'RateLimit-Reset'] as const;

/** Their values: requests a minute, what is left of them, seconds until all are there again. */
export function rateHeaders({ limit, used, reset }: RateUse): Record<string, string> {
  const values = [limit, Math.max(0, limit - used), reset];
  return Object.fromEntries(RATE_HEADERS.map((name, i) => [name, String(values[i])]));
}

/** The refusal of a request over the limit (429 with Retry-After), or undefined. */
export function overLimit(use: RateUse): HttpError | undefined {
  if (use.used <= use.limit) return undefined;
  return refusal('rate_limited', { headers: { 'Retry-After': String(use.reset) } });
}

/** Tells each counted request what is left, and refuses those over the limit of their client address. */
export function rateLimit(count: RateCounter): RequestHandler {
  return async (request, response, next) => {
    const use = await count(request);
    if (use === undefined) return next();
    for (const [name, value] of Object.entries(rateHeaders(use))) response.setHeader(name, value);
    next(overLimit(use));
  };
}
