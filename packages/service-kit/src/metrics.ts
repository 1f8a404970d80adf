import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from 'prom-client';
import { z } from 'zod';
import { type Guards, Reply, type Route, routeDeclarer } from './http/routes/declaration';

export type CountedSeries = readonly [labels: Readonly<Record<string, string>>, value: () => number];

/** Creates metrics in one registry. */
export interface MetricFactory {
  counter<T extends string>(name: string, help: string, labels?: readonly T[]): Counter<T>;
  /** @param collect sets the value during a scrape */
  gauge<T extends string>(
    name: string,
    help: string,
    labels?: readonly T[],
    collect?: (gauge: Gauge<T>) => void | Promise<void>,
  ): Gauge<T>;
  /** A counter whose values are read during a scrape; one for each set of labels. */
  counted(name: string, help: string, value: (() => number) | readonly CountedSeries[]): void;
  histogram<T extends string>(
    name: string,
    help: string,
    labels?: readonly T[],
    buckets?: readonly number[],
  ): Histogram<T>;
}

/** The metrics of a program; their names have its prefix. */
export interface Metrics extends MetricFactory {
  readonly registry: Registry;
  /** Metrics with the same names in all programs: requests, process. */
  readonly shared: MetricFactory;
}

/**
 * Creates a registry with the default metrics of the process (`process_...`, `nodejs_...`).
 * @param prefix prefix of the program's metrics, e.g. `wrkz_pow_helper_`
 */
export function createMetrics(prefix: string): Metrics {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  return { registry, ...factory(registry, prefix), shared: factory(registry, '') };
}

function factory(registry: Registry, prefix: string): MetricFactory {
  const registers = [registry];
  return {
    counter: (name, help, labels = []) =>
      new Counter({ name: prefix + name, help, labelNames: [...labels], registers }),
    gauge: <T extends string>(
      name: string,
      help: string,
      labels: readonly T[] = [],
      collect?: (gauge: Gauge<T>) => void | Promise<void>,
    ) =>
      new Gauge<T>({
        name: prefix + name,
        help,
        labelNames: [...labels],
        registers,
        ...(collect === undefined
          ? {}
          : {
              collect() {
                return collect(this);
              },
            }),
      }),
    counted: (name, help, value) => {
      const series: readonly CountedSeries[] = typeof value === 'function' ? [[{}, value]] : value;
      void new Counter({
        name: prefix + name,
        help,
        labelNames: [...new Set(series.flatMap(([labels]) => Object.keys(labels)))],
        registers,
        collect() {
          this.reset();
          for (const [labels, read] of series) this.inc(labels, read());
        },
      });
    },
    histogram: (name, help, labels = [], buckets) =>
      new Histogram({
        name: prefix + name,
        help,
        labelNames: [...labels],
        registers,
        ...(buckets === undefined ? {} : { buckets: [...buckets] }),
      }),
  };
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
