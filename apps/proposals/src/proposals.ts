import {
  ClosingService,
  createMetrics,
  ensureDirectory,
  errorText,
  type HttpServer,
  type Logger,
  loggerFromOptions,
  memoryMinuteCounter,
  type Metrics,
  NAMED_LOG_SCALE,
  RequestCounters,
  VERSION,
} from '@wrkz/service-kit';
import type { ProposalsConfig, ProposalsOptions } from './config';
import { FundingFollower } from './funding/follower';
import type { WalletService } from './funding/wallet';
import { WalletApiClient, WalletRpcClient } from './funding/wallet-clients';
import { startProposalsServer } from './http';
import { Listing } from './listing';
import { MarkdownCache } from './markdown';
import { Site } from './pages/site';
import { QrImages } from './qr-images';
import { ResponseCache } from './response-cache';
import type { ProposalsContext } from './routes/declare';
import { openStores, type Stores } from './store/database';

/** Replacements for tests. */
export interface ProposalsOverrides {
  readonly logger?: Logger;
  /** 0 selects a free port. */
  readonly port?: number;
  /** Unix milliseconds. */
  readonly now?: () => number;
  /** Time between two polls of the wallet. */
  readonly pollMs?: number;
}

/** Max wait for running requests when the service stops. */
const DRAIN_MS = 5_000;

/** The service. */
export class Proposals extends ClosingService {
  readonly logger: Logger;
  private readonly now: () => number;
  private server: HttpServer | undefined;
  /** The last logged error of the databases. */
  private databaseError: string | undefined;
  /** Public for tests, which poll the wallet themselves. Undefined without a wallet. */
  follower: FundingFollower | undefined;

  constructor(
    private readonly config: ProposalsConfig,
    private readonly overrides: ProposalsOverrides = {},
  ) {
    super();
    this.logger = overrides.logger ?? loggerFromOptions(config, { scale: NAMED_LOG_SCALE });
    for (const warning of config.warnings) this.logger.warning(warning);
    this.now = overrides.now ?? Date.now;
  }

  /** The bound port after the start. */
  get port(): number {
    return this.server?.port ?? this.overrides.port ?? this.config.options['bind-port'];
  }

  protected async serve(): Promise<void> {
    const { config, logger } = this;
    const { options, folder } = config;
    if (!options.demo) ensureDirectory(folder.directory);
    const stores = this.closers.use('the database', openStores(folder, options.demo, this.now), (open) => open.close());
    const metrics = options['enable-metrics'] ? createMetrics('wrkz_proposals_') : undefined;
    const follower = this.createFollower(stores, metrics);
    this.follower = follower;
    this.closers.add('the wallet follower', () => follower?.stop());
    const context = this.createContext(stores, metrics);
    const server = await startProposalsServer(config, context, logger, this.port);
    this.server = this.closers.use('the HTTP server', server, (open) => open.close(DRAIN_MS));
    follower?.start();
    const content = options.demo ? 'samples (--demo)' : `proposals of ${folder.network} in ${folder.directory}`;
    logger.info(
      `wrkz-proposals ${VERSION} listens on ${options['bind-ip']}:${server.port}: ${content}, ` +
        `donations are ${follower === undefined ? 'not followed' : 'followed'}`,
    );
  }

  private createFollower({ funding, reader }: Stores, metrics: Metrics | undefined): FundingFollower | undefined {
    const wallet = walletOf(this.config.options);
    if (wallet === undefined) return undefined;
    const polls = metrics?.counter('wallet_polls_total', 'Polls of the wallet by result', ['result']);
    return new FundingFollower({
      wallet,
      store: funding,
      addresses: () => reader.addresses(),
      logger: this.logger.child('funding'),
      pollMs: this.overrides.pollMs ?? this.config.options['wallet-poll'] * 1000,
      now: this.now,
      onPoll: (isSuccess) => polls?.inc({ result: isSuccess ? 'success' : 'failure' }),
    });
  }

  private createContext(stores: Stores, metrics: Metrics | undefined): ProposalsContext {
    const { options, folder } = this.config;
    const { follower, now } = this;
    const hasFunding = follower !== undefined || options.demo;
    const listing = new Listing(stores.reader, hasFunding ? stores.funding : undefined, follower);
    if (metrics !== undefined) publishMetrics(metrics, listing, now);
    return {
      listing,
      responses: new ResponseCache(),
      markdown: new MarkdownCache(),
      images: new QrImages(),
      site: new Site({
        network: folder.network,
        isDemo: options.demo,
        publicUrl: options['public-url']?.replace(/\/+$/, ''),
      }),
      imageCounter: memoryMinuteCounter(now),
      imagesPerMinute: options['qr-limit'],
      requests: new RequestCounters(),
      metrics,
      now,
      readiness: () => {
        const wallet = follower === undefined ? {} : { wallet: follower.failure === undefined ? 'OK' : 'AWAY' };
        return { ready: !this.isStopping && this.areDatabasesReadable(stores), ...wallet };
      },
    };
  }

  /** Whether the databases are readable. Logs the same error only once. */
  private areDatabasesReadable(stores: Stores): boolean {
    const before = this.databaseError;
    try {
      stores.check();
      this.databaseError = undefined;
    } catch (error) {
      this.databaseError = errorText(error);
      if (before !== this.databaseError) this.logger.error(this.databaseError);
    }
    return this.databaseError === undefined;
  }
}

/** The wallet service selected by the options; undefined if donations are not followed. */
function walletOf(options: ProposalsOptions): WalletService | undefined {
  const { 'wallet-api': apiUrl, 'wallet-rpc': rpcUrl } = options;
  if (apiUrl !== undefined) return new WalletApiClient(apiUrl, options['wallet-api-key'] ?? '');
  return rpcUrl === undefined ? undefined : new WalletRpcClient(rpcUrl, options['wallet-rpc-password'] ?? '');
}

function publishMetrics(metrics: Metrics, listing: Listing, now: () => number): void {
  metrics.gauge('proposals', 'Proposals by status', ['status'], (gauge) => {
    gauge.reset();
    for (const { status, count } of listing.reader.counts()) gauge.inc({ status: String(status) }, count);
  });
  const help = 'Seconds since the last successful poll of the wallet; absent before the first one';
  metrics.gauge('funding_age_seconds', help, [], (gauge) => {
    const checkedAt = listing.checkedAt();
    if (checkedAt === undefined) gauge.remove();
    else gauge.set(Math.max(0, now() / 1000 - checkedAt));
  });
}
