import {
  ClosingService,
  createMetrics,
  type HttpServer,
  type Logger,
  loggerFromOptions,
  type Metrics,
  NAMED_LOG_SCALE,
  RequestCounters,
  VERSION,
} from '@wrkz/service-kit';
import type { PowHelperConfig } from './config';
import { startPowServer } from './http';
import { solve, type Solver } from './job';
import { type JobQueue, POLL_TIMEOUT_MS, type QueueDependencies } from './queue/job-queue';
import { MemoryQueue } from './queue/memory-queue';
import { RedisQueue } from './queue/redis/redis-queue';
import type { PowContext } from './routes';
import { Stats } from './stats';

/** Replacements for tests. */
export interface PowHelperOverrides {
  readonly logger?: Logger;
  readonly solver?: Solver;
  /** 0 selects a free port. */
  readonly port?: number;
  /** Unix milliseconds. */
  readonly now?: () => number;
  /** Monotonic milliseconds. */
  readonly elapsed?: () => number;
  /** Default: `POLL_TIMEOUT_MS`. */
  readonly pollTimeoutMs?: number;
  /** Default: the queue selected by `--queue`. */
  readonly queue?: (dependencies: QueueDependencies) => JobQueue;
}

/** Max wait for running requests when the helper stops. */
const DRAIN_MS = 8_000;

/** The service. */
export class PowHelper extends ClosingService {
  readonly logger: Logger;
  private readonly config: PowHelperConfig;
  private readonly context: PowContext;
  private readonly configuredPort: number;
  private server: HttpServer | undefined;

  constructor(config: PowHelperConfig, overrides: PowHelperOverrides = {}) {
    super();
    const { options, network, threads } = config;
    const { solver = solve, now = Date.now, port = options['bind-port'], pollTimeoutMs = POLL_TIMEOUT_MS } = overrides;
    const { elapsed = () => performance.now() } = overrides;
    const { queue: createQueue = (dependencies) => queueOf(options.queue, dependencies) } = overrides;
    this.logger = overrides.logger ?? loggerFromOptions(config, { scale: NAMED_LOG_SCALE });
    for (const warning of config.warnings) this.logger.warning(warning);
    this.config = config;
    this.configuredPort = port;
    const metrics = options['enable-metrics'] ? createMetrics('wrkz_pow_helper_') : undefined;
    const stats = new Stats(metrics);
    const queue = createQueue({
      options: {
        capacity: options['max-queue'],
        jobTimeoutMs: options['job-timeout'] * 1000,
        resultTtlMs: options['result-ttl'] * 1000,
        pollTimeoutMs,
      },
      threads,
      solver,
      onOutcome: (outcome) => stats.add(outcome),
      logger: this.logger.child('queue'),
      elapsed,
      now,
    });
    if (metrics !== undefined) publishDepth(metrics, queue);
    this.context = {
      options,
      network,
      threads,
      queue,
      stats,
      requests: new RequestCounters(),
      metrics,
      jobCounter: queue.counter('jobs'),
      startedAt: Math.floor(now() / 1000),
      now,
      isStopping: () => this.isStopping,
      isReady: async () => !this.isStopping && (await queue.isReachable()),
    };
  }

  /** The bound port after the start. */
  get port(): number {
    return this.server?.port ?? this.configuredPort;
  }

  protected async serve(): Promise<void> {
    const { options, network, threads } = this.config;
    const { queue } = this.context;
    // Closers run in reverse order: the queue stops before the server, because open requests wait for its jobs. It rejects new
    // jobs, responds to all waiting clients and aborts the search.
    this.closers.add('the HTTP server', () => this.server?.close(DRAIN_MS));
    this.closers.add('the job queue', () => queue.stop());
    await queue.start();
    this.server = await startPowServer(this.config, this.context, this.logger, this.configuredPort);
    this.logger.info(
      `wrkz-pow-helper ${VERSION} listens on ${options['bind-ip']}:${this.server.port}, ${threads} hashing threads, ` +
        `${network.name} rules`,
    );
  }
}

/** @param url of Redis; undefined: the queue is in memory */
function queueOf(url: string | undefined, dependencies: QueueDependencies): JobQueue {
  return url === undefined ? new MemoryQueue(dependencies) : new RedisQueue(url, dependencies);
}

/** Registers the metrics of the queue. While Redis is unreachable, the gauge has the last known length. */
function publishDepth(metrics: Metrics, queue: JobQueue): void {
  metrics.gauge('queue_waiting', 'Queued jobs', [], async (gauge) => gauge.set((await queue.depth()).waiting));
  metrics.gauge('queue_up', '1 if jobs can be submitted, else 0', [], async (gauge) =>
    gauge.set((await queue.isReachable()) ? 1 : 0),
  );
}
