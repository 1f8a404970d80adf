import type { Express } from 'express';
import { networkOf, type NetworkName } from '@wrkz/core-types';
import {
  createHttpApp,
  createLogger,
  createMetrics,
  parseLogLevel,
  RequestCounters,
  startHttpServer,
  VERSION,
  type HttpServer,
  type Logger,
  type Metrics,
  type MinuteCounter,
  type ParsedOptions,
  type Service,
} from '@wrkz/service-kit';
import { solve, type Solver } from './jobs/solver';
import { type OPTIONS, type PowHelperOptions, threadCount, trustedProxies } from './options';
import { MemoryQueue } from './queue/memory-queue';
import type { JobQueue } from './queue/job-queue';
import { RedisQueue } from './queue/redis/redis-queue';
import { PowRefusal, refusalBody } from './refusals';
import { addRoutes, isOpen, isRateLimited } from './routes';
import { preflight } from './preflight';
import { Stats } from './stats';

export interface Overrides {
  readonly logger?: Logger;
  readonly solver?: Solver;
  /** Lets tests listen on a free port, which the option does not take. */
  readonly port?: number;
  readonly now?: () => number;
}

/** What the routes work with. */
export interface PowContext {
  readonly options: PowHelperOptions;
  readonly network: ReturnType<typeof networkOf>;
  readonly threads: number;
  readonly queue: JobQueue;
  readonly stats: Stats;
  readonly requests: RequestCounters;
  readonly metrics: Metrics | undefined;
  /** Counts jobs of all clients against `--max-jobs-per-minute`. */
  readonly jobCounter: MinuteCounter;
  /** Unix seconds. */
  readonly startedAt: number;
  readonly now: () => number;
  isStopping(): boolean;
}

const BODY_LIMIT = 524_288;
const REQUESTS_PER_CONNECTION = 64;
const SOCKET_TIMEOUT_MS = 30_000;
const CLOSE_DEADLINE_MS = 8_000;

/** The transaction proof-of-work helper: queue, HTTP app and listeners of one instance. */
export class PowHelper implements Service {
  readonly logger: Logger;
  readonly #context: PowContext;
  readonly #port: number;
  #server: HttpServer | undefined;
  #stopping = false;

  constructor(parsed: ParsedOptions<typeof OPTIONS>, overrides: Overrides = {}) {
    const options = parsed.values;
    this.logger = overrides.logger ?? makeLogger(parsed);
    for (const warning of parsed.warnings) this.logger.warning(warning);
    const now = overrides.now ?? Date.now;
    const metrics = options['enable-metrics'] ? createMetrics('wrkz_pow_helper_') : undefined;
    const stats = new Stats(metrics);
    const threads = threadCount(options);
    const queue = makeQueue(options, threads, overrides.solver ?? solve, stats, this.logger, now);
    this.#port = overrides.port ?? options['bind-port'];
    this.#context = {
      options,
      network: networkOf(options.network as NetworkName),
      threads,
      queue,
      stats,
      requests: new RequestCounters(),
      metrics,
      jobCounter: queue.counter('jobs'),
      startedAt: Math.floor(now() / 1000),
      now,
      isStopping: () => this.#stopping,
    };
    if (metrics !== undefined) watchDepth(metrics, queue);
  }

  /** The port it listens on, once started. */
  get port(): number {
    return this.#server?.port ?? this.#port;
  }

  async start(): Promise<void> {
    const { options, queue, threads } = this.#context;
    await queue.start();
    const second = options['bind-ipv6-address'] || undefined; // an empty one is none
    this.#server = await startHttpServer({
      app: this.#app(),
      listen: [
        { host: options['bind-ip'], port: this.#port },
        ...(second === undefined ? [] : [{ host: second, port: this.#port, required: false }]),
      ],
      logger: this.logger,
      limits: {
        readTimeoutMs: SOCKET_TIMEOUT_MS,
        writeTimeoutMs: Math.max(SOCKET_TIMEOUT_MS, options['max-wait-ms'] + SOCKET_TIMEOUT_MS),
        maxRequestsPerConnection: REQUESTS_PER_CONNECTION,
      },
    });
    this.logger.info(
      `wrkz-pow-helper ${VERSION} listens on ${options['bind-ip']}:${this.#server.port}, ${threads} hashing threads, ` +
        `${options.network} rules`,
    );
  }

  /** Takes no new jobs, answers who waits, ends the search and closes the listeners. */
  async stop(): Promise<void> {
    this.#stopping = true;
    const closed = this.#server?.close(CLOSE_DEADLINE_MS);
    await this.#context.queue.stop();
    await closed;
  }

  #app(): Express {
    const { options, queue, requests, metrics, stats } = this.#context;
    const proxies = trustedProxies(options);
    return createHttpApp({
      logger: this.logger,
      refusalBody: (refused) => {
        if (refused.code === 'rate_limited') stats.count('rejected_rate_limited');
        return refusalBody(refused);
      },
      clientAddress: proxies.length === 0 ? 'connection' : { trustedProxies: proxies },
      cors: { origin: options['enable-cors'], preflight },
      apiKey: { key: options['api-key'] },
      rateLimit: {
        perMinute: options['rate-limit'],
        counter: queue.counter('requests'),
        exempt: (request) => !isRateLimited(request),
        now: this.#context.now,
      },
      open: isOpen,
      bodyLimit: BODY_LIMIT,
      counters: requests,
      metrics,
      routes: (app) => addRoutes(app, this.#context),
    });
  }
}

/** Counts a refused submission under the name that /stats tells it by. */
export function countRefusal(stats: Stats, error: unknown): void {
  if (error instanceof PowRefusal && error.counter !== undefined) stats.count(error.counter);
}

function makeQueue(
  options: PowHelperOptions,
  threads: number,
  solver: Solver,
  stats: Stats,
  logger: Logger,
  now: () => number,
): JobQueue {
  const settings = {
    capacity: options['max-queue'],
    jobTimeoutMs: options['job-timeout'] * 1000,
    resultTtlMs: options['result-ttl'] * 1000,
  };
  const onOutcome = stats.add.bind(stats);
  return options.queue === undefined
    ? new MemoryQueue(settings, threads, solver, onOutcome, now)
    : new RedisQueue(options.queue, settings, threads, solver, onOutcome, logger.child('queue'));
}

function makeLogger({ values, secrets }: ParsedOptions<typeof OPTIONS>): Logger {
  return createLogger({ level: parseLogLevel(values['log-level']) ?? 'info', file: values['log-file'], secrets });
}

function watchDepth(metrics: Metrics, queue: JobQueue): void {
  let waiting = 0;
  metrics.gauge('queue_waiting', 'Jobs waiting', [], async (gauge) => {
    waiting = await queue.depth().then(
      (depth) => depth.waiting,
      () => waiting,
    );
    gauge.set(waiting);
  });
}
