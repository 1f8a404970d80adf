import { dirname } from 'node:path';
import type { NodeTimeouts } from '@wrkz/client';
import { setThreads } from '@wrkz/crypto';
import {
  ClosingService,
  createMetrics,
  endpointText,
  type HttpServer,
  type Logger,
  NotificationHooks,
  VERSION,
  type WaitClock,
} from '@wrkz/service-kit';
import type { SignedSend, Wallet } from '@wrkz/wallet-core';
import {
  IdempotentRequests,
  moneyEventLogger,
  registerWalletMetrics,
  startRetentionJob,
  type WalletObserver,
} from '@wrkz/wallet-server';
import { serviceLogger, type WalletRpcConfig } from './config';
import type { WalletRpcContext } from './context';
import { startServiceServer } from './http';
import { type ServedContainer, openContainer } from './open-container';
import { TransactionNotifier, HOOKS } from './transaction-notifier';
import { DelayedTransactionQueue } from './delayed-transactions';
import { TransactionDetailsCache } from './transaction-details';
import { PoolWatcher } from './pool-watcher';
import { notifyOfSend } from './methods/sends';

/** Replacements for tests. */
export interface WalletRpcOverrides {
  readonly logger?: Logger;
  /** 0 selects a free port, which the option does not allow. */
  readonly port?: number;
  /** Unix milliseconds. */
  readonly now?: () => number;
  /** Polling interval of the pool in milliseconds. */
  readonly poolMs?: number;
  readonly maxHashes?: number;
  readonly nodeTimeouts?: Partial<NodeTimeouts>;
  readonly syncClock?: WaitClock;
}

const MAX_HASHES = 10_000;
/** Max wait for running requests when the service stops. */
const DRAIN_MS = 2_000;

/** The wallet JSON-RPC service and its composition root. A stop rejects requests, then saves and closes the container. */
export class WalletRpc extends ClosingService {
  readonly logger: Logger;
  private server: HttpServer | undefined;
  private served: WalletRpcContext | undefined;

  constructor(
    private readonly config: WalletRpcConfig,
    private readonly overrides: WalletRpcOverrides = {},
  ) {
    super();
    this.logger = overrides.logger ?? serviceLogger(config);
    for (const warning of config.warnings) this.logger.warning(warning);
  }

  /** The bound port after the start. */
  get port(): number {
    return this.server?.port ?? this.config.options['bind-port'];
  }

  /** Dependencies of the methods, available after the start. */
  get context(): WalletRpcContext {
    if (this.served === undefined) throw new Error('the service has not started');
    return this.served;
  }

  protected async serve(): Promise<void> {
    const { config, overrides, logger } = this;
    const { options, network, containerFile } = config;
    const { now = Date.now, port = options['bind-port'] } = overrides;
    setThreads(config.threads);
    const { nodeTimeouts, syncClock } = overrides;
    const container = await openContainer(config, { logger, now, nodeTimeouts, syncClock });
    this.closers.add('the container', () => container.wallet.close());
    observe(container.wallet, moneyEventLogger(logger));
    const hooks = await NotificationHooks.start({
      hooks: [
        { name: HOOKS.tx, values: options['tx-notify'] },
        { name: HOOKS.confirmed, values: options['tx-confirmed-notify'] },
      ],
      logger: logger.child('notify'),
      directory: dirname(containerFile),
      secretFile: options['notify-secret-file'],
    });
    this.closers.add('the notification hooks', () => hooks.close());
    const metrics = options['enable-metrics'] ? createMetrics('wrkz_wallet_') : undefined;
    if (metrics !== undefined) {
      hooks.publish(metrics);
      const current = (): Wallet | undefined => (container.wallet.isClosed ? undefined : container.wallet);
      observe(container.wallet, registerWalletMetrics(metrics, current));
    }
    const context = this.contextOf(container, hooks, now);
    this.served = context;
    this.startComponents(context);
    const retention = startRetentionJob({
      current: () => container.wallet.dbIfUsable,
      now,
      warn: (text) => logger.warning(text),
    });
    this.closers.add('the retention job', retention.stop);
    retention.run();
    this.server = this.closers.use(
      'the HTTP server',
      await startServiceServer({ config, context, logger, metrics, port }),
      (server) => server.close(DRAIN_MS),
    );
    const at =
      config.socket === undefined
        ? endpointText({ host: options['bind-address'], port: this.port })
        : `the socket ${config.socket.socketPath}`;
    logger.info(`wrkz-wallet-rpc ${VERSION} listens on ${at}, network ${network.name}, container ${containerFile}`);
  }

  /** Starts the components. Listeners run in this order: delayed queue and notifier must precede the pool watcher. */
  private startComponents({ details, delayed, notifier, pool }: WalletRpcContext): void {
    delayed.start();
    notifier.start();
    details.start();
    this.closers.add('the transaction details', () => details.stop());
    pool.start();
    this.closers.add('the pool watcher', () => pool.stop());
  }

  private contextOf(container: ServedContainer, hooks: NotificationHooks, now: () => number): WalletRpcContext {
    const { config, logger, overrides } = this;
    const { wallet } = container;
    const warn = (text: string): void => logger.warning(text);
    const details = new TransactionDetailsCache({ ...container, warn });
    const duringSync = config.options['notify-during-sync'];
    const notifier = new TransactionNotifier({
      ...container,
      hooks,
      duringSync,
      details: (hash) => details.get(hash),
      warn,
    });
    const sent = ({ hash }: SignedSend): void => notifyOfSend({ wallet, notifier }, hash);
    const delayed = new DelayedTransactionQueue({ wallet, now, sent });
    const everyMs = overrides.poolMs === undefined ? {} : { everyMs: overrides.poolMs };
    return {
      ...container,
      network: config.network,
      directory: dirname(config.containerFile),
      details,
      notifier,
      delayed,
      pool: new PoolWatcher({
        ...{ ...container, details, ...everyMs },
        seen: (transaction) => notifier.seen(transaction),
        release: (hashes) => delayed.release(hashes),
      }),
      maxHashes: overrides.maxHashes ?? MAX_HASHES,
      keyed: new IdempotentRequests(),
      now,
    };
  }
}

function observe(wallet: Wallet, { event, ringFallback }: WalletObserver): void {
  wallet.on('event', event);
  wallet.on('ringFallback', ringFallback);
}
