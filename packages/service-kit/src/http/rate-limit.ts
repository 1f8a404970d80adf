import type { RequestHandler } from 'express';
import { countedAddress } from '../addresses';
import { clientAddressOf, isLoopback } from './client-address';
import { refusal } from './errors';

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

/** Refuses requests over the limit of their client address (429 with Retry-After). */
export function rateLimit(options: RateLimitOptions): RequestHandler {
  const { perMinute, exemptLoopback = false, now = Date.now } = options;
  if (perMinute <= 0) return (_request, _response, next) => next();
  const counter = options.counter ?? memoryMinuteCounter(now);
  return async (request, _response, next) => {
    const address = clientAddressOf(request);
    if (exemptLoopback && isLoopback(address)) return next();
    if ((await counter.hit(countedAddress(address))) <= perMinute) return next();
    next(refusal('rate_limited', { headers: { 'Retry-After': String(secondsToNextMinute(now())) } }));
  };
}
