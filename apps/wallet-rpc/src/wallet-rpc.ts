import { dirname } from 'node:path';
import type { NodeTimeouts } from '@wrkz/client';
import { setThreads } from '@wrkz/crypto';
import {
  Closers,
  endpointText,
  type HttpServer,
  type Logger,
  NotificationHooks,
  type Service,
  VERSION,
} from '@wrkz/service-kit';
import type { SignedSend, SyncClock } from '@wrkz/wallet-core';
import { IdempotentRequests, startRetentionJob } from '@wrkz/wallet-server';
import { serviceLogger, type WalletRpcConfig } from './config';
import type { WalletRpcContext } from './context';
import { startServiceServer } from './http';
import { type ServedContainer, openContainer } from './open-container';
import { TransactionNotifier, HOOKS } from './transaction-notifier';
import { BlockHashes } from './blocks';
import { DelayedTransactionQueue } from './delayed-transactions';
import { TransactionDetailsCache } from './transaction-details';
import { PoolWatcher } from './pool-watcher';
import { notifyOfSend } from './methods/sends';

/** What a test may put in the place of the real thing. */
export interface WalletRpcOverrides {
  readonly logger?: Logger;
  /** Takes 0 for a free port, which the option does not. */
  readonly port?: number;
  /** Unix milliseconds. */
  readonly now?: () => number;
  /** Milliseconds between two looks at the pool. */
  readonly poolMs?: number;
  /** Hashes of one answer. */
  readonly maxHashes?: number;
  /** How long nodes may take. */
  readonly nodeTimeouts?: Partial<NodeTimeouts>;
  /** By which the wallet waits between its questions to a node. */
  readonly syncClock?: SyncClock;
}

/** Milliseconds that running requests have to end when the program stops. */
const DRAIN_MS = 2_000;

/** The wallet over JSON-RPC: its parts are put together here and nowhere else. `create`, then `start`, then `stop`. */
export class WalletRpc implements Service {
  readonly logger: Logger;
  private readonly closers = new Closers();
  private server: HttpServer | undefined;
  private served: WalletRpcContext | undefined;

  private constructor(
    private readonly config: WalletRpcConfig,
    private readonly overrides: WalletRpcOverrides,
  ) {
    this.logger = overrides.logger ?? serviceLogger(config);
    for (const warning of config.warnings) this.logger.warning(warning);
  }

  static create(config: WalletRpcConfig, overrides: WalletRpcOverrides = {}): WalletRpc {
    return new WalletRpc(config, overrides);
  }

  /** The port it listens on, once started. */
  get port(): number {
    return this.server?.port ?? this.config.options['bind-port'];
  }

  /** What the methods work with, once started. */
  get context(): WalletRpcContext {
    if (this.served === undefined) throw new Error('the service has not started');
    return this.served;
  }

  /** @throws Error with a message for the operator; everything opened so far is closed again */
  async start(): Promise<void> {
    try {
      await this.serve();
    } catch (error) {
      return this.closers.closeAfter(error);
    }
  }

  /** Stops accepting requests, then saves and closes the container. @throws AggregateError after everything else is closed */
  stop(): Promise<void> {
    return this.closers.closeAll();
  }

  private async serve(): Promise<void> {
    const { config, overrides, logger } = this;
    const { options, network, containerFile } = config;
    const { now = Date.now, port = options['bind-port'] } = overrides;
    setThreads(config.threads);
    const { nodeTimeouts, syncClock } = overrides;
    const container = await openContainer(config, { logger, now, nodeTimeouts, syncClock });
    this.closers.add('the container', () => container.wallet.close());
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
      await startServiceServer({ config, context, logger, port }),
      (server) => server.close(DRAIN_MS),
    );
    const at =
      config.socket === undefined
        ? endpointText({ host: options['bind-address'], port: this.port })
        : `the socket ${config.socket.socketPath}`;
    logger.info(`wrkz-wallet-rpc ${VERSION} listens on ${at}, ${network.name} rules, container ${containerFile}`);
  }

  /** In an order in which each hears of a transaction before those that tell of it. */
  private startComponents({ details, delayed, notifier, pool }: WalletRpcContext): void {
    delayed.start();
    notifier.start();
    details.start();
    this.closers.add('the transaction details', () => details.stop());
    pool.start();
    this.closers.add('the pool watch', () => pool.stop());
  }

  private contextOf(container: ServedContainer, hooks: NotificationHooks, now: () => number): WalletRpcContext {
    const { config, logger, overrides } = this;
    const { nodes, wallet } = container;
    const details = new TransactionDetailsCache({ ...container, warn: (text) => logger.warning(text) });
    const duringSync = config.options['notify-during-sync'];
    const notifier = new TransactionNotifier({
      ...container,
      hooks,
      duringSync,
      details: (hash) => details.get(hash),
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
      blockHashes: new BlockHashes(nodes, overrides.maxHashes),
      keyed: new IdempotentRequests(),
      now,
    };
  }
}
