import {
  Closers,
  createMetrics,
  ensureDirectory,
  errorText,
  type HttpServer,
  type Logger,
  loggerFromOptions,
  memoryMinuteCounter,
  type Metrics,
  RequestCounters,
  type Service,
  VERSION,
} from '@wrkz/service-kit';
import { AnswerCache } from './answer-cache';
import type { ProposalsConfig } from './config';
import type { ProposalsContext } from './context';
import { FundingFollower } from './funding/follower';
import { incomeSource } from './funding/income-source';
import { startProposalsServer } from './http';
import { Listing } from './listing';
import { MarkdownCache } from './markdown';
import { LEVELS } from './options';
import { Site } from './pages/site';
import { QrImages } from './qr-images';
import { openStores, type Stores } from './store/stores';

/** What a test may put in the place of the real thing. */
export interface ProposalsOverrides {
  readonly logger?: Logger;
  /** Takes 0 for a free port, which the option does not. */
  readonly port?: number;
  /** Unix milliseconds. */
  readonly now?: () => number;
  /** Milliseconds between two looks at the wallet. */
  readonly pollMs?: number;
}

/** Milliseconds that running requests have to end when the program stops. */
const DRAIN_MS = 5_000;

/** The program that serves: its parts are put together here and nowhere else. `create`, then `start`, then `stop`. */
export class Proposals implements Service {
  readonly logger: Logger;
  /** SIGHUP reloads only the log. */
  readonly reload = [];
  private readonly config: ProposalsConfig;
  private readonly configuredPort: number;
  private readonly now: () => number;
  private readonly pollMs: number;
  private readonly closers = new Closers();
  private openFollower: FundingFollower | undefined;
  private server: HttpServer | undefined;
  private stopping = false;
  private fault: string | undefined;

  private constructor(config: ProposalsConfig, overrides: ProposalsOverrides) {
    const { options } = config;
    this.logger = overrides.logger ?? loggerFromOptions(config, { scale: LEVELS });
    for (const warning of config.warnings) this.logger.warning(warning);
    this.config = config;
    this.configuredPort = overrides.port ?? options['bind-port'];
    this.now = overrides.now ?? Date.now;
    this.pollMs = overrides.pollMs ?? options['wallet-poll'] * 1000;
  }

  static create(config: ProposalsConfig, overrides: ProposalsOverrides = {}): Proposals {
    return new Proposals(config, overrides);
  }

  /** The port it listens on, once started. */
  get port(): number {
    return this.server?.port ?? this.configuredPort;
  }

  /** Follows the wallet, where there is one; for tests, which look when they want to. */
  get follower(): FundingFollower | undefined {
    return this.openFollower;
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

  /** @throws AggregateError after everything else is closed */
  stop(): Promise<void> {
    this.stopping = true;
    return this.closers.closeAll();
  }

  private async serve(): Promise<void> {
    const { options, place } = this.config;
    if (!options.demo) ensureDirectory(place.directory);
    const stores = this.closers.use('the database', openStores(place, options.demo, this.now), (open) => open.close());
    const metrics = options['enable-metrics'] ? createMetrics('wrkz_proposals_') : undefined;
    this.openFollower = this.closers.use('the wallet follower', this.makeFollower(stores, metrics), (follower) =>
      follower?.stop(),
    );
    const context = this.context(stores, metrics);
    const server = await startProposalsServer({
      config: this.config,
      context,
      logger: this.logger,
      port: this.configuredPort,
    });
    this.server = this.closers.use('the HTTP server', server, (open) => open.close(DRAIN_MS));
    this.openFollower?.start();
    const what = options.demo ? 'a demonstration' : `proposals of ${place.network} in ${place.directory}`;
    this.logger.info(
      `wrkz-proposals ${VERSION} listens on ${options['bind-ip']}:${this.server.port}: ${what}, ` +
        (this.openFollower === undefined ? 'donations are not followed' : 'donations are followed'),
    );
  }

  /** Whether the files are there and can be read; what is wrong is logged when it begins. */
  private isSound(stores: Stores): boolean {
    const before = this.fault;
    try {
      stores.check();
      this.fault = undefined;
    } catch (error) {
      this.fault = errorText(error);
      if (before !== this.fault) this.logger.error(this.fault);
    }
    return this.fault === undefined;
  }

  private makeFollower({ funding, reader }: Stores, metrics: Metrics | undefined): FundingFollower | undefined {
    const source = incomeSource(this.config.options);
    if (source === undefined) return undefined;
    const looks = metrics?.counter('wallet_looks_total', 'Looks at the wallet by how they ended', ['result']);
    return new FundingFollower({
      source,
      store: funding,
      addresses: () => reader.addresses(),
      logger: this.logger.child('funding'),
      pollMs: this.pollMs,
      now: this.now,
      onLook: (isGood) => looks?.inc({ result: isGood ? 'good' : 'failed' }),
    });
  }

  private context(stores: Stores, metrics: Metrics | undefined): ProposalsContext {
    const { options, place } = this.config;
    const follower = this.openFollower;
    const isFunded = follower !== undefined || options.demo;
    const listing = new Listing(stores.reader, isFunded ? { store: stores.funding, follower } : undefined);
    if (metrics !== undefined) publishFigures(metrics, listing, this.now);
    return {
      listing,
      answers: new AnswerCache(),
      markdown: new MarkdownCache(),
      images: new QrImages(),
      site: new Site({
        network: place.network,
        isDemo: options.demo,
        publicUrl: options['public-url']?.replace(/\/+$/, ''),
      }),
      drawCounter: memoryMinuteCounter(this.now),
      drawsPerMinute: options['qr-limit'],
      requests: new RequestCounters(),
      metrics,
      now: this.now,
      readiness: () => {
        const wallet = follower === undefined ? {} : { wallet: follower.failure === undefined ? 'OK' : 'AWAY' };
        return { ready: !this.stopping && this.isSound(stores), ...wallet };
      },
    };
  }
}

function publishFigures(metrics: Metrics, listing: Listing, now: () => number): void {
  metrics.gauge('proposals', 'Proposals by status', ['status'], (gauge) => {
    gauge.reset();
    for (const { status, count } of listing.counts()) gauge.inc({ status: String(status) }, count);
  });
  metrics.gauge(
    'funding_age_seconds',
    'Seconds since the wallet was asked; absent before the first time',
    [],
    (gauge) => {
      const checkedAt = listing.checkedAt();
      if (checkedAt === undefined) gauge.remove();
      else gauge.set(Math.max(0, now() / 1000 - checkedAt));
    },
  );
}
