import type { NodeTimeouts } from '@wrkz/client';
import { setThreads } from '@wrkz/crypto';
import {
  ClosingService,
  createMetrics,
  endpointText,
  type HttpServer,
  type Logger,
  type ReloadTask,
  loggerFromOptions,
  RequestCounters,
  VERSION,
  type WaitClock,
} from '@wrkz/service-kit';
import { PowClient, powServerSettings } from '@wrkz/wallet-core';
import {
  type AttemptLimiterOptions,
  moneyEventLogger,
  openingWarnings,
  registerWalletMetrics,
  startBackupJob,
  startRetentionJob,
  type WalletObserver,
} from '@wrkz/wallet-server';
import { AuditLog } from './audit-log';
import type { WalletApiConfig } from './config';
import { startConsole } from './console';
import { assertDirectory } from './file-paths';
import { startWalletServer } from './http';
import { Authenticator, readKeyFile } from './keys';
import { startWalletHooks } from './notifications';
import { WALLET_LOG_SCALE } from './options';
import type { WalletApiContext } from './routes/declare';
import { SendExecutor } from './send-executor';
import { type OpenWallet, WalletManager } from './wallet-manager';

/** Replacements for tests, and the console streams of `main`. */
export interface WalletApiOverrides {
  readonly logger?: Logger;
  /** 0 selects a free port, which the option does not allow. */
  readonly port?: number;
  /** Unix milliseconds. */
  readonly now?: () => number;
  /** Console input; undefined disables the console. */
  readonly input?: NodeJS.ReadableStream;
  readonly write?: (line: string) => void;
  readonly requestStop?: () => void;
  readonly nodeTimeouts?: Partial<NodeTimeouts>;
  readonly attempts?: AttemptLimiterOptions;
  /** Clock of the synchronization. */
  readonly syncClock?: WaitClock;
}

/** Max wait for running requests when the service stops. */
const DRAIN_MS = 2_000;

/** The wallet API service and its composition root. A stop rejects requests, then saves and closes the wallet. */
export class WalletApi extends ClosingService {
  readonly logger: Logger;
  override readonly reload: readonly ReloadTask[];
  private readonly context: WalletApiContext;
  private servers: HttpServer[] = [];

  constructor(
    private readonly config: WalletApiConfig,
    private readonly overrides: WalletApiOverrides = {},
  ) {
    super();
    const { options, network, keys, password, walletDirectory } = config;
    const { now = Date.now } = overrides;
    this.logger = overrides.logger ?? loggerFromOptions(config, { scale: WALLET_LOG_SCALE });
    for (const warning of config.warnings) this.logger.warning(warning);
    const wallets = this.createWalletManager(now);
    const authenticator = new Authenticator(password, keys, { now, ...overrides.attempts });
    const keyFile = options['rpc-key-file'];
    const reloadKeys = (): void => authenticator.setScopedKeys(readKeyFile(keyFile, password));
    this.reload = keyFile === '' ? [] : [{ name: 'the key file', run: reloadKeys }];
    const auditFile = options['audit-log'];
    const audit = auditFile === '' ? undefined : AuditLog.open(auditFile, (text) => this.logger.warning(text));
    this.context = {
      network,
      wallets,
      authenticator,
      files: { directory: walletDirectory, anyPath: options['allow-any-path'] },
      sends: new SendExecutor({ network, wallets, authenticator, audit, now }),
      audit,
      metrics: options['enable-metrics'] ? createMetrics('wrkz_wallet_') : undefined,
      isStopping: () => this.isStopping,
    };
  }

  /** The bound port after the start. */
  get port(): number {
    return this.servers[0]?.port ?? this.config.options.port;
  }

  /** The open wallet. */
  get current(): OpenWallet | undefined {
    return this.context.wallets.current;
  }

  private createWalletManager(now: () => number): WalletManager {
    const { logger, overrides } = this;
    const { options, network, threads } = this.config;
    const warn = (text: string): void => logger.warning(text);
    const pow = new PowClient(powServerSettings(options), {
      threads,
      onFallback: (reason) => warn(`the proof-of-work server failed, using local threads: ${reason}`),
    });
    const sync = {
      skipCoinbases: options['skip-coinbase-transactions'],
      maxBlocks: options['sync-max-blocks'],
      clock: overrides.syncClock,
    };
    const wallets = new WalletManager(
      { network, sync, pow, now, warn },
      {
        network,
        failover: options['daemon-failover'],
        token: options['daemon-token'],
        timeouts: overrides.nodeTimeouts,
        rescanFrom: options['rescan-from'],
      },
    );
    wallets.on('warning', warn);
    this.observe(wallets, moneyEventLogger(logger));
    wallets.on('closed', () => logger.info('wallet closed'));
    wallets.on('opened', (open) => {
      const { file, nodes } = open;
      logger.info('wallet opened', { file, node: nodes.nodes().find(({ isInUse }) => isInUse)?.name });
      openingWarnings(open.wallet).forEach(warn);
    });
    return wallets;
  }

  private observe(wallets: WalletManager, { event, ringFallback }: WalletObserver): void {
    wallets.on('moneyEvent', event);
    wallets.on('ringFallback', ringFallback);
  }

  protected async serve(): Promise<void> {
    const { config, context, logger } = this;
    const { options, network } = config;
    const { wallets, metrics } = context;
    assertDirectory(config.walletDirectory);
    setThreads(config.threads);
    this.closers.add('the wallet', () => wallets.shutDown());
    this.startRetention();
    this.startBackups();
    const hooks = await startWalletHooks(config, wallets, logger.child('notify'));
    this.closers.add('the notification hooks', () => hooks.close());
    if (metrics !== undefined) {
      hooks.publish(metrics);
      this.observe(
        wallets,
        registerWalletMetrics(metrics, () => wallets.current?.wallet),
      );
    }
    const port = this.overrides.port ?? options.port;
    this.servers = await startWalletServer({ config, context, counters: new RequestCounters(), logger, port });
    for (const server of this.servers) this.closers.add('an HTTP server', () => server.close(DRAIN_MS));
    const endpoint = endpointText({ host: options['rpc-bind-ip'], port: this.port });
    const { name } = network;
    const line = `wrkz-wallet-api ${VERSION} listens on ${endpoint}, network ${name}, wallets in ${config.walletDirectory}`;
    // The default log level logs nothing, but the operator must see that the service runs.
    if (logger.enabled('info')) logger.info(line);
    else this.overrides.write?.(line);
    this.openConsole();
  }

  private startRetention(): void {
    const { wallets } = this.context;
    const { now = Date.now } = this.overrides;
    const job = startRetentionJob({
      current: () => wallets.current?.wallet.dbIfUsable,
      now,
      warn: (text) => this.logger.warning(text),
    });
    wallets.on('opened', job.run);
    this.closers.add('the retention job', job.stop);
  }

  private startBackups(): void {
    const { wallets, metrics } = this.context;
    const { now = Date.now } = this.overrides;
    const { 'backup-every': everyMinutes, 'backup-keep': keep } = this.config.options;
    const last = metrics?.gauge('last_backup_timestamp_seconds', 'Unix time of the last scheduled backup');
    const written = (file: string): void => {
      last?.set(now() / 1000);
      this.logger.info('backup written', { file });
    };
    const warn = (text: string): void => this.logger.warning(text);
    const stop = startBackupJob({ current: () => wallets.current, now, written, warn }, { everyMinutes, keep });
    this.closers.add('the backup job', stop);
  }

  private openConsole(): void {
    const { input, write = () => undefined, requestStop } = this.overrides;
    if (input === undefined || requestStop === undefined || this.config.options['no-console']) return;
    this.closers.add('the console', startConsole({ input, write, stop: requestStop }));
  }
}
