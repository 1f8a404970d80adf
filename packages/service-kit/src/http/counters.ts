import type { Request, RequestHandler } from 'express';
import type { Metrics } from '../metrics/metrics';
import { routeOf } from './matched-route';

/** Requests since the start. */
export class RequestCounters {
  /** All requests, refused ones included. */
  requests = 0;
  /** Answers that went out compressed. */
  compressed = 0;
  /** Answers by status. */
  readonly byStatus = new Map<number, number>();

  count(status: number): number {
    return this.byStatus.get(status) ?? 0;
  }
}

/** Upper ends of the histogram's buckets in seconds, as far as no answer is held back on purpose. */
const BUCKETS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

/** The same up to the longest answer: a poll that is held to its end is told apart from one that hangs beyond it. */
function bucketsUpTo(longestSeconds: number): number[] {
  const more: number[] = [];
  for (let end = 20; end < longestSeconds; end *= 2) more.push(end);
  return longestSeconds <= 10 ? BUCKETS : [...BUCKETS, ...more, longestSeconds, longestSeconds + 5];
}

type RequestSeries = ReturnType<typeof registered>;

/** A program may have several listeners, each with an app of its own; they count together. */
const known = new WeakMap<Metrics, RequestSeries>();

function seriesOf(metrics: Metrics, longestSeconds: number): RequestSeries {
  const series = known.get(metrics) ?? registered(metrics, longestSeconds);
  known.set(metrics, series);
  return series;
}

function registered({ shared }: Metrics, longestSeconds: number) {
  return {
    total: shared.counter('http_requests_total', 'HTTP requests answered', ['method', 'route', 'status']),
    seconds: shared.histogram(
      'http_request_seconds',
      'Time to answer an HTTP request',
      ['method', 'route'],
      bucketsUpTo(longestSeconds),
    ),
  };
}

/**
 * Counts every request, and when metrics are on, publishes count and duration by method, route and status. The route is
 * the declared path, never the requested one, so that strangers cannot add label values; `none` when there is none.
 */
export function countRequests(
  counters: RequestCounters,
  metrics?: Metrics,
  /** How long an answer may be held back on purpose. */
  longestSeconds = 0,
): RequestHandler {
  const { total, seconds } = (metrics && seriesOf(metrics, longestSeconds)) ?? {};
  return (request, response, next) => {
    counters.requests++;
    const start = process.hrtime.bigint();
    response.once('close', () => {
      const status = response.writableFinished ? response.statusCode : 499;
      counters.byStatus.set(status, counters.count(status) + 1);
      if (response.hasHeader('Content-Encoding')) counters.compressed++;
      const labels = { method: methodLabel(request), route: routeOf(request) ?? 'none' };
      total?.inc({ ...labels, status: String(status) });
      seconds?.observe(labels, Number(process.hrtime.bigint() - start) / 1e9);
    });
    next();
  };
}

const METHODS = new Set(['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD', 'OPTIONS']);

function methodLabel(request: Request): string {
  return METHODS.has(request.method) ? request.method : 'other';
}
