import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from 'prom-client';
import { routeDeclarer, type Guards, type Route } from '../http/routes/declaration';

/** The value of one set of labels. */
export type CountedSeries = readonly [labels: Readonly<Record<string, string>>, value: () => number];

/** Makes metrics of one registry. */
export interface MetricFactory {
  counter<T extends string>(name: string, help: string, labels?: readonly T[]): Counter<T>;
  /** `collect` sets the value at the moment of a scrape, which waits for it. */
  gauge<T extends string>(
    name: string,
    help: string,
    labels?: readonly T[],
    collect?: (gauge: Gauge<T>) => void | Promise<void>,
  ): Gauge<T>;
  /** A counter of what is counted elsewhere, read at the moment of a scrape; one for each set of labels. */
  counted(name: string, help: string, value: (() => number) | readonly CountedSeries[]): void;
  histogram<T extends string>(
    name: string,
    help: string,
    labels?: readonly T[],
    buckets?: readonly number[],
  ): Histogram<T>;
}

/** One program's metrics. Names of its own work start with its prefix. */
export interface Metrics extends MetricFactory {
  readonly registry: Registry;
  /** What every program of the suite has alike, under one name in all of them: requests, the process. */
  readonly shared: MetricFactory;
}

/**
 * Makes a registry with the process's own figures in it (`process_...`, `nodejs_...`).
 * @param prefix what the names of the program's own metrics start with, e.g. `wrkz_pow_helper_`
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

/** GET /metrics: everything in the registry as Prometheus text. */
export function metricsRoute({ registry }: Metrics, guards: Guards): Route<unknown, never> {
  return routeDeclarer<unknown>()({
    method: 'GET',
    path: '/metrics',
    summary: 'Figures of the process and of its work, for Prometheus.',
    guards,
    answer: { contentType: registry.contentType, description: 'Prometheus text format' },
    errors: [],
    handle: () => registry.metrics(),
  });
}
