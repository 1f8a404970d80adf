import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from 'prom-client';
import { z } from 'zod';
import { type Guards, Reply, type Route, routeDeclarer } from './http/routes/declaration';

export type CountedSeries = readonly [labels: Readonly<Record<string, string>>, value: () => number];

/** Creates metrics in one registry; their names have the prefix. */
export class MetricFactory {
  private readonly registers: Registry[];

  constructor(
    readonly registry: Registry,
    private readonly prefix: string,
  ) {
    this.registers = [registry];
  }

  counter<T extends string>(name: string, help: string, labels: readonly T[] = []): Counter<T> {
    return new Counter(this.options(name, help, labels));
  }

  /** @param collect sets the value during a scrape */
  gauge<T extends string>(
    name: string,
    help: string,
    labels: readonly T[] = [],
    collect?: (gauge: Gauge<T>) => void | Promise<void>,
  ): Gauge<T> {
    const options = this.options(name, help, labels);
    if (collect === undefined) return new Gauge(options);
    const gauge: Gauge<T> = new Gauge({ ...options, collect: () => collect(gauge) });
    return gauge;
  }

  /** A counter whose values are read during a scrape; one for each set of labels. */
  counted(name: string, help: string, value: (() => number) | readonly CountedSeries[]): void {
    const series: readonly CountedSeries[] = typeof value === 'function' ? [[{}, value]] : value;
    const labels = [...new Set(series.flatMap(([of]) => Object.keys(of)))];
    const counter = new Counter({
      ...this.options(name, help, labels),
      collect: () => {
        counter.reset();
        for (const [of, read] of series) counter.inc(of, read());
      },
    });
  }

  histogram<T extends string>(name: string, help: string, labels: readonly T[], buckets: number[]): Histogram<T> {
    return new Histogram({ ...this.options(name, help, labels), buckets });
  }

  private options<T extends string>(name: string, help: string, labels: readonly T[]) {
    return { name: this.prefix + name, help, labelNames: [...labels], registers: this.registers };
  }
}

/** The metrics of a program; their names have its prefix. */
export class Metrics extends MetricFactory {
  /** Metrics with the same names in all programs: requests, process. */
  readonly shared = new MetricFactory(this.registry, '');
}

/**
 * Creates a registry with the default metrics of the process (`process_...`, `nodejs_...`).
 * @param prefix prefix of the program's metrics, e.g. `wrkz_pow_helper_`
 */
export function createMetrics(prefix: string): Metrics {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  return new Metrics(registry, prefix);
}

const route = routeDeclarer<unknown>();

/** GET /metrics in the format of Prometheus. */
export function metricsRoute({ registry }: Metrics, guards: Guards): Route<unknown, never> {
  return route({
    method: 'GET',
    path: '/metrics',
    summary: 'Metrics for Prometheus.',
    guards,
    response: { contentType: registry.contentType, description: 'Prometheus text format' },
    errors: [],
    handle: () => registry.metrics(),
  });
}

/** Whether the program is ready; further fields are part of the response. */
export interface Readiness {
  readonly ready: boolean;
  readonly [detail: string]: unknown;
}

/** Health checks need no key and are not rate-limited. */
const OPEN: Guards = { key: false, limit: false };

/** GET /livez: 200 while the process responds. GET /readyz: 200 if the service is ready, else 503, with details. */
export function healthRoutes(readiness: () => Readiness | Promise<Readiness>): Route<unknown, never>[] {
  return [
    route({
      method: 'GET',
      path: '/livez',
      summary: 'Whether the process responds.',
      guards: OPEN,
      response: z.object({ status: z.literal('OK') }),
      errors: [],
      handle: () => ({ status: 'OK' as const }),
    }),
    route({
      method: 'GET',
      path: '/readyz',
      summary: 'Whether the service is ready, with details.',
      guards: OPEN,
      response: z.looseObject({ status: z.enum(['OK', 'UNAVAILABLE']) }),
      errors: [{ status: 503, text: 'UNAVAILABLE', when: 'The service is not ready.' }],
      handle: async () => {
        const { ready, ...details } = await readiness();
        return ready
          ? { status: 'OK' as const, ...details }
          : new Reply(503, { status: 'UNAVAILABLE' as const, ...details });
      },
    }),
  ];
}
