import {
  Closers,
  createMetrics,
  type HttpServer,
  type Logger,
  loggerFromOptions,
  type Metrics,
  RequestCounters,
  type Service,
  VERSION,
} from '@wrkz/service-kit';
import type { PowHelperConfig } from './config';
import type { PowContext } from './context';
import { startPowServer } from './http';
import { solve, type Solver } from './jobs/solver';
import { createQueue } from './queue/create-queue';
import { LOG_SCALE } from './options';
import type { JobQueue, QueueParts } from './queue/job-queue';
import { PATIENCE_MS } from './queue/turn';
import { Stats } from './stats';

/** What a test may put in the place of the real thing. */
export interface PowHelperOverrides {
  readonly logger?: Logger;
  readonly solver?: Solver;
  /** Takes 0 for a free port, which the option does not. */
  readonly port?: number;
  /** Unix milliseconds. */
  readonly now?: () => number;
  /** Milliseconds of a clock that never steps back. */
  readonly elapsed?: () => number;
  /** Instead of `PATIENCE_MS`. */
  readonly patienceMs?: number;
  /** Instead of the one that `--queue` asks for. */
  readonly queue?: (parts: QueueParts) => JobQueue;
}

/** Milliseconds that running requests have to end when the helper stops. */
const DRAIN_MS = 8_000;

/** The helper: its parts are put together here and nowhere else. `create`, then `start`, then `stop`. */
export class PowHelper implements Service {
  readonly logger: Logger;
  /** SIGHUP reloads only the log. */
  readonly reload = [];
  private readonly config: PowHelperConfig;
  private readonly context: PowContext;
  private readonly configuredPort: number;
  private readonly closers = new Closers();
  private server: HttpServer | undefined;
  private stopping = false;

  private constructor(config: PowHelperConfig, overrides: PowHelperOverrides) {
    const { options, network, threads } = config;
    const { solver = solve, now = Date.now, port = options['bind-port'], patienceMs = PATIENCE_MS } = overrides;
    const { elapsed = () => performance.now() } = overrides;
    const makeQueue = overrides.queue ?? ((parts: QueueParts) => createQueue(options.queue, parts));
    this.logger = overrides.logger ?? loggerFromOptions(config, { scale: LOG_SCALE });
    for (const warning of config.warnings) this.logger.warning(warning);
    this.config = config;
    this.configuredPort = port;
    const metrics = options['enable-metrics'] ? createMetrics('wrkz_pow_helper_') : undefined;
    const stats = new Stats(metrics);
    const queue = makeQueue({
      settings: {
        capacity: options['max-queue'],
        jobTimeoutMs: options['job-timeout'] * 1000,
        resultTtlMs: options['result-ttl'] * 1000,
        patienceMs,
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
      isStopping: () => this.stopping,
      isReady: async () => !this.stopping && (await queue.isReachable()),
    };
  }

  static create(config: PowHelperConfig, overrides: PowHelperOverrides = {}): PowHelper {
    return new PowHelper(config, overrides);
  }

  /** The port it listens on, once started. */
  get port(): number {
    return this.server?.port ?? this.configuredPort;
  }

  /** @throws Error with a message for the operator; everything opened so far is closed again */
  async start(): Promise<void> {
    try {
      await this.serve();
    } catch (error) {
      this.stopping = true;
      return this.closers.closeAfter(error);
    }
  }

  /** Accepts no new jobs, answers all waiting clients, ends the search and closes the listeners. */
  stop(): Promise<void> {
    this.stopping = true;
    return this.closers.closeAll();
  }

  private async serve(): Promise<void> {
    const { options, network, threads } = this.config;
    const { queue } = this.context;
    // The queue stops first: open requests wait for its jobs. New jobs are refused from the beginning of the stop.
    this.closers.add('the HTTP server', () => this.server?.close(DRAIN_MS));
    this.closers.add('the job queue', () => queue.stop());
    await queue.start();
    this.server = await startPowServer({
      config: this.config,
      context: this.context,
      logger: this.logger,
      port: this.configuredPort,
    });
    this.logger.info(
      `wrkz-pow-helper ${VERSION} listens on ${options['bind-ip']}:${this.server.port}, ${threads} hashing threads, ` +
        `${network.name} rules`,
    );
  }
}

/** Publishes the number of waiting jobs, the last known while the queue is away, and whether it is there. */
function publishDepth(metrics: Metrics, queue: JobQueue): void {
  metrics.gauge('queue_waiting', 'Jobs waiting', [], async (gauge) => gauge.set((await queue.depth()).waiting));
  metrics.gauge('queue_up', 'Whether jobs can be taken: 1 or 0', [], async (gauge) =>
    gauge.set((await queue.isReachable()) ? 1 : 0),
  );
}
