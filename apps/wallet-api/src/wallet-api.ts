import type { NodeTimeouts } from '@wrkz/client';
import { setThreads } from '@wrkz/crypto';
import {
  createLogger,
  createMetrics,
  endpointText,
  type HttpServer,
  type Logger,
  logRotation,
  parseLogLevel,
  RequestCounters,
  type Service,
  VERSION,
} from '@wrkz/service-kit';
import { PowClient, powServerSettings, type SyncClock } from '@wrkz/wallet-core';
import { startRetentionJob, openingWarnings } from '@wrkz/wallet-server';
import type { WalletApiConfig } from './config/config';
import { WALLET_LOG_SCALE } from './config/options';
import { startConsole } from './console';
import type { WalletApiContext } from './context';
import { assertFolder } from './file-names';
import { startWalletServer } from './http';
import { ServiceKeys } from './keys/service-keys';
import { publishFigures } from './metrics';
import { startWalletHooks } from './notify';
import { Sends } from './once';
import { type Open, OpenWallet } from './open-wallet';
import { PreparedOwners } from './prepared-owners';

/** What a test may put in the place of the real thing. */
export interface WalletApiOverrides {
  readonly logger?: Logger;
  /** Takes 0 for a free port, which the option does not. */
  readonly port?: number;
  /** Unix milliseconds. */
  readonly now?: () => number;
  /** Where commands are typed; without it there is no console. */
  readonly input?: NodeJS.ReadableStream;
  readonly write?: (line: string) => void;
  readonly requestStop?: () => void;
  /** How long nodes may take. */
  readonly nodeTimeouts?: Partial<NodeTimeouts>;
  /** By which a wallet waits between its questions to a node. */
  readonly syncClock?: SyncClock;
}

/** Milliseconds that running requests have to end when the program stops. */
const DRAIN_MS = 2_000;

/** The wallet over HTTP: its parts are put together here and nowhere else. `create`, then `start`, then `stop`. */
export class WalletApi implements Service {
  readonly logger: Logger;
  private readonly context: WalletApiContext;
  /** What `start` opened, to be closed in the opposite order. */
  private readonly opened: (() => unknown)[] = [];
  private servers: HttpServer[] = [];
  private stopping = false;

  private constructor(
    private readonly config: WalletApiConfig,
    private readonly overrides: WalletApiOverrides,
  ) {
    const { options, network, keys, password, walletDirectory } = config;
    const { now = Date.now } = overrides;
    this.logger = overrides.logger ?? walletLogger(config);
    for (const warning of config.warnings) this.logger.warning(warning);
    const pow = new PowClient(powServerSettings(options), {
      threads: config.threads,
      onFallback: (reason) => this.logger.warning(`the proof-of-work helper did not help: ${reason}`),
    });
    const sync = {
      skipCoinbases: options['skip-coinbase-transactions'],
      maxBlocks: options['sync-max-blocks'],
      clock: overrides.syncClock,
    };
    const warn = (text: string): void => this.logger.warning(text);
    const settings = {
      network,
      failover: options['daemon-failover'],
      token: options['daemon-token'],
      timeouts: overrides.nodeTimeouts,
      rescanFrom: options['rescan-from'],
    };
    const held = new OpenWallet({ network, sync, pow, now, warn }, settings);
    held.on('warning', warn);
    held.on('closed', () => this.logger.info('wallet closed'));
    held.on('opened', (open) => {
      const { file, nodes } = open;
      this.logger.info('wallet opened', { file, node: nodes.nodes().find(({ isInUse }) => isInUse)?.name });
      openingWarnings(open).forEach(warn);
    });
    this.context = {
      network,
      held,
      keys: new ServiceKeys(password, keys, now),
      files: { directory: walletDirectory, anyPath: options['allow-any-path'] },
      sends: new Sends(),
      prepared: new PreparedOwners(),
      metrics: options['enable-metrics'] ? createMetrics('wrkz_wallet_') : undefined,
      now,
      isStopping: () => this.stopping,
    };
  }

  static create(config: WalletApiConfig, overrides: WalletApiOverrides = {}): WalletApi {
    return new WalletApi(config, overrides);
  }

  /** The port it listens on, once started. */
  get port(): number {
    return this.servers[0]?.port ?? this.config.options.port;
  }

  /** The wallet that is open. */
  get current(): Open | undefined {
    return this.context.held.current;
  }

  /** @throws Error with a message for the operator; everything opened so far is closed again */
  async start(): Promise<void> {
    try {
      await this.serve();
    } catch (error) {
      await this.stop();
      throw error;
    }
  }

  /** Takes no new requests, saves and closes the wallet. */
  async stop(): Promise<void> {
    this.stopping = true;
    for (const close of this.opened.splice(0).reverse()) await close();
  }

  private async serve(): Promise<void> {
    const { config, context, logger } = this;
    const { options, network } = config;
    assertFolder(config.walletDirectory);
    setThreads(config.threads);
    this.opened.push(() => context.held.end());
    const { held, now } = context;
    const retention = startRetentionJob({
      current: () => held.current?.sideFile,
      now,
      warn: (text) => logger.warning(text),
    });
    held.on('opened', retention.run);
    this.opened.push(retention.stop);
    const hooks = await startWalletHooks(config, context.held, logger.child('notify'));
    this.opened.push(() => hooks.close());
    if (context.metrics !== undefined) {
      hooks.publish(context.metrics);
      publishFigures(context.metrics, context.held);
    }
    const counters = new RequestCounters();
    const port = this.overrides.port ?? options.port;
    this.servers = await startWalletServer({ config, context, counters, logger, port });
    this.opened.push(() => Promise.all(this.servers.map((server) => server.close(DRAIN_MS))));
    const host = options['rpc-bind-ip'];
    const at = endpointText({ host, port: this.port });
    logger.info(
      `wrkz-wallet-api ${VERSION} listens on ${at}, ${network.name} rules, wallets in ${config.walletDirectory}`,
    );
    this.openConsole();
  }

  private openConsole(): void {
    const { input, write = () => undefined, requestStop } = this.overrides;
    if (input === undefined || requestStop === undefined || this.config.options['no-console']) return;
    this.opened.push(startConsole({ input, write, leave: requestStop }));
  }
}

function walletLogger({ options, secrets }: WalletApiConfig): Logger {
  return createLogger({
    level: parseLogLevel(options['log-level'], WALLET_LOG_SCALE) ?? 'disabled',
    format: options['log-format'],
    file: options['log-file'],
    rotation: logRotation(options),
    secrets,
  });
}
