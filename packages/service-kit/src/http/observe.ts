import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Logger } from '../log/logger';
import type { Metrics } from '../metrics';
import { clientAddressOf } from './client-address';
import { requestIdOf, routeOf } from './request';

/** Requests since the start. */
export class RequestCounters {
  /** All requests, refused ones included. */
  requests = 0;
  compressed = 0;
  readonly byStatus = new Map<number, number>();

  count(status: number): number {
    return this.byStatus.get(status) ?? 0;
  }
}

/** Status of a request whose client closed the connection before the response was sent. */
const CLIENT_CLOSED = 499;

/** Upper bounds of the buckets in seconds, for services without long polling. */
const BUCKETS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

/** Continues the buckets, so that a long poll that times out and a request that hangs are in different buckets. */
function bucketsUpTo(longestSeconds: number): number[] {
  const more: number[] = [];
  for (let end = 20; end < longestSeconds; end *= 2) more.push(end);
  return longestSeconds <= 10 ? BUCKETS : [...BUCKETS, ...more, longestSeconds, longestSeconds + 5];
}

type RequestMetrics = ReturnType<typeof registered>;

/** All listeners of a program share the metrics. */
const known = new WeakMap<Metrics, RequestMetrics>();

function registered({ shared }: Metrics, longestSeconds: number) {
  const names = ['method', 'route'] as const;
  return {
    total: shared.counter('http_requests_total', 'HTTP requests answered', [...names, 'status']),
    seconds: shared.histogram(
      'http_request_seconds',
      'Time to answer an HTTP request',
      names,
      bucketsUpTo(longestSeconds),
    ),
  };
}

export interface ObserveOptions {
  readonly logger: Logger;
  readonly counters: RequestCounters;
  readonly metrics?: Metrics | undefined;
  /** Max seconds of a long poll, for the buckets of the histogram. */
  readonly longestResponseSeconds?: number | undefined;
}

/**
 * Counts every request, publishes its duration by method, declared path and status, and logs it at level debug. Clients cannot
 * add label values: a request without a route has the label `none`.
 */
export function observer(options: ObserveOptions): (request: IncomingMessage, response: ServerResponse) => void {
  const { logger, counters, metrics, longestResponseSeconds = 0 } = options;
  const series = metrics && (known.get(metrics) ?? registered(metrics, longestResponseSeconds));
  if (metrics !== undefined && series !== undefined) known.set(metrics, series);
  return (request, response) => {
    counters.requests++;
    const start = performance.now();
    response.once('close', () => {
      const status = response.writableFinished ? response.statusCode : CLIENT_CLOSED;
      const milliseconds = performance.now() - start;
      counters.byStatus.set(status, counters.count(status) + 1);
      if (response.hasHeader('Content-Encoding')) counters.compressed++;
      const route = routeOf(request) ?? 'none';
      const labels = { method: methodLabel(request), route };
      series?.total.inc({ ...labels, status: String(status) });
      series?.seconds.observe(labels, milliseconds / 1000);
      if (!logger.enabled('debug')) return;
      logger.debug('answered', {
        request: requestIdOf(request),
        client: clientAddressOf(request),
        method: request.method,
        route,
        status,
        ms: Math.round(milliseconds),
      });
    });
  };
}

const METHODS = new Set(['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD', 'OPTIONS']);

function methodLabel({ method = '' }: IncomingMessage): string {
  return METHODS.has(method) ? method : 'other';
}
