import { type ChainDb, openChainDb } from '@wrkz/chain-db';
import { cpuFeatures } from '@wrkz/crypto';
import {
  type Control,
  createMetrics,
  ensureDirectory,
  type HttpServer,
  type Logger,
  type Service,
  VERSION,
} from '@wrkz/service-kit';
import { AnnouncedWork } from './chain/announced-work';
import { loadCheckpoints } from './chain/checkpoints';
import { ChainClient } from './chain/client';
import type { ChainService, CommitListener } from './chain/service';
import type { DaemonConfig } from './config/config';
import { runAction } from './actions/run-action';
import { DamageWatch } from './damage/damage-watch';
import { operatorText } from './damage/operator-text';
import { NodeEvents } from './events/node-events';
import { ChainJudge } from './mempool/chain-judge';
import { TransactionPool } from './mempool/pool';
import { BlockGenerator } from './mining/generate';
import { Miner } from './mining/miner';
import type { P2pNode } from './p2p/node';
import { logChain } from './progress/chain-log';
import { notices } from './progress/notices';
import { openingLines } from './progress/opening-lines';
import { SyncProgress } from './progress/sync-progress';
import { ReaderPool, RPC_DEFAULTS, startRpcServer } from './rpc';
import { startStratum, type StratumServer } from './stratum';
import { daemonLogger } from './wiring/logger';
import { createPeers, peersConfig } from './wiring/peers';
import { rpcContext } from './wiring/rpc-context';
import { watchStorage } from './wiring/storage-watch';

/** What a test may put in the place of the real thing. */
export interface DaemonOverrides {
  readonly control?: Pick<Control, 'requestStop'>;
  readonly logger?: Logger;
  /** Unix seconds. */
  readonly now?: () => number;
  /** Where progress is shown. */
  readonly stream?: NodeJS.WriteStream;
}

/** What a running daemon is made of, for tests that watch it. */
export interface RunningParts {
  readonly chain: ChainService;
  readonly pool: TransactionPool;
  readonly peers: P2pNode;
  /** Undefined where nobody asked for it, or its port could not be had. */
  readonly stratum?: StratumServer | undefined;
}

/** Milliseconds from one look at the pool's old transactions to the next. */
const SWEEP_INTERVAL = 60_000;
/** Milliseconds that running requests have to end when the daemon stops. */
const RPC_DRAIN = 2_000;

/** The node: every component of it, put together here and nowhere else. `create`, then `start`, then `stop`. */
export class Daemon implements Service {
  readonly logger: Logger;
  private readonly now: () => number;
  private readonly stream: NodeJS.WriteStream;
  private readonly notice: (line: string) => void;
  private readonly stopping = new AbortController();
  /** What `start` opened, to be closed in the opposite order. */
  private readonly opened: { readonly name: string; readonly close: () => unknown }[] = [];
  private action: Promise<number> | undefined;
  private http: HttpServer | undefined;
  private running: RunningParts | undefined;

  private constructor(
    private readonly config: DaemonConfig,
    private readonly overrides: DaemonOverrides,
  ) {
    this.logger = overrides.logger ?? daemonLogger(config);
    this.now = overrides.now ?? (() => Math.floor(Date.now() / 1000));
    this.stream = overrides.stream ?? process.stdout;
    this.notice = notices(this.logger, this.stream);
    for (const warning of config.warnings) this.logger.warning(warning);
  }

  static create(config: DaemonConfig, overrides: DaemonOverrides = {}): Daemon {
    return new Daemon(config, overrides);
  }

  /** The exit code of an import, export or verify; undefined for a daemon that serves. */
  get finished(): Promise<number> | undefined {
    return this.action;
  }

  /** Where it listens, once started. */
  get ports(): { readonly rpc: number; readonly p2p: number } {
    return { rpc: this.http?.port ?? 0, p2p: this.running?.peers.port ?? 0 };
  }

  /** @throws Error unless it serves */
  get parts(): RunningParts {
    if (this.running === undefined) throw new Error('the daemon does not run');
    return this.running;
  }

  /** @throws Error with a message for the operator; everything opened so far is closed again */
  async start(): Promise<void> {
    const { action } = this.config;
    if (action !== 'serve') {
      const parts = { config: this.config, notice: this.notice, stream: this.stream, signal: this.stopping.signal };
      this.action = runAction(action, parts).catch((error: unknown) => {
        this.logger.fatal(`the ${action} failed: ${operatorText(error)}`);
        return 1;
      });
      return;
    }
    try {
      await this.serve();
    } catch (error) {
      await this.stop();
      throw error;
    }
  }

  async stop(): Promise<void> {
    this.stopping.abort();
    this.running = undefined;
    await this.action;
    for (const { name, close } of this.opened.splice(0).reverse()) {
      try {
        await close();
      } catch (error) {
        this.logger.error(`closing ${name} failed`, { error });
      }
    }
  }

  private async serve(): Promise<void> {
    const { config, logger, now } = this;
    const { network, options } = config;
    logger.debug('the processor', { features: cpuFeatures() });
    const addresses = peersConfig(config); // a wrong address is refused before anything is touched
    const directory = ensureDirectory(config.directory);
    const setup = { directory, network: network.name, checkpoints: options['load-checkpoints'] };
    const chain = this.closeOnStop('the chain engine', await ChainClient.start(setup), (client) => client.stop());
    chain.on('failed', (error) => this.giveUp(error));
    const damage = new DamageWatch(logger);
    chain.on('damage', (error) => void damage.note(error));
    for (const line of openingLines(chain.opening)) this.notice(line);
    this.closeOnStop('the chain log', logChain(chain, logger.child('chain')), (end) => end());

    const open = (): ChainDb => openChainDb({ directory, network: network.name, readonly: true });
    const db = this.closeOnStop('the database', open(), (opened) => opened.close());
    const { reader } = db;
    this.closeOnStop(
      'the watch over the folder',
      watchStorage(db, (error) => this.giveUp(error)),
      (end) => end(),
    );
    const pool = new TransactionPool(new ChainJudge(network, reader, now));
    const events = this.closeOnStop('the events', new NodeEvents((error) => this.giveUp(error)), (all) => all.close());
    events.followChain(chain); // before the pool follows it
    events.followPool(pool);
    const follow: CommitListener = (event) => void pool.onCommit(event).catch((error: unknown) => this.giveUp(error));
    chain.on('commit', follow);
    const sweeps = setInterval(() => this.orGiveUp(() => pool.sweep()), SWEEP_INTERVAL);
    // The engine still commits what is under way when it stops, and by then the pool has no database to look into.
    this.closeOnStop('the pool', sweeps, (timer) => {
      clearInterval(timer);
      chain.off('commit', follow);
    });

    const miner = new Miner({ network, reader, chain, pool, now });
    const generator = new BlockGenerator(network, miner, now, this.stopping.signal);
    const work = new AnnouncedWork(network, loadCheckpoints(setup.checkpoints, network), reader);
    const peers = createPeers({ config: addresses, work, chain, reader, pool, logger: logger.child('p2p'), damage });
    this.closeOnStop('the peers', peers, (node) => node.stop());
    await peers.start();
    this.running = { chain, pool, peers };

    const queries = this.closeOnStop(
      'the reader threads',
      new ReaderPool({ directory, network: network.name }),
      (threads) => threads.close(),
    );
    const parts = { config, reader, queries, chain, pool, miner, generator, peers, now };
    const metrics = options['enable-metrics'] ? createMetrics('wrkz_') : undefined;
    if (metrics !== undefined) damage.publish(metrics);
    const stratum = this.closeOnStop(
      'stratum',
      await startStratum({ options, chain, miner, peers, events, logger: logger.child('stratum'), metrics }),
      (miners) => miners?.stop(),
    );
    this.running = { chain, pool, peers, stratum };
    const server = {
      ...RPC_DEFAULTS,
      onError: (error: unknown) => void damage.note(error),
      ...(metrics === undefined ? {} : { metrics }),
      bindIp: options['rpc-bind-ip'],
      port: config.rpcPort,
      maxRpm: options['rpc-max-rpm'],
    };
    this.http = this.closeOnStop(
      'the RPC',
      await startRpcServer(rpcContext(parts), server, logger.child('rpc')),
      (http) => http.close(RPC_DRAIN),
    );
    this.notice(
      `wrkz-daemon ${VERSION} on ${network.name}, block ${String(chain.tip().height)}; ` +
        `peers at ${addressText(options['p2p-bind-ip'], peers.port)}, ` +
        `RPC at http://${addressText(options['rpc-bind-ip'], this.http.port)}; data in ${directory}`,
    );
    const progress = new SyncProgress({ chain, peers, write: this.notice, stream: this.stream });
    this.closeOnStop('the progress display', progress, (display) => display.stop());
  }

  /** Remembers how to close what was opened; `stop` does it, the latest first. */
  private closeOnStop<T>(name: string, thing: T, close: (thing: T) => unknown): T {
    this.opened.push({ name, close: () => close(thing) });
    return thing;
  }

  /** What cannot be gone on with: the disk is full, or a component met what it does not expect. */
  private giveUp(error: unknown): void {
    this.logger.fatal(`the daemon cannot go on: ${operatorText(error)}`, { error });
    this.overrides.control?.requestStop(1);
  }

  private orGiveUp(work: () => void): void {
    try {
      work();
    } catch (error) {
      this.giveUp(error);
    }
  }
}

/** As it stands in a URL: IPv6 addresses in brackets. */
function addressText(host: string, port: number): string {
  return `${host.includes(':') ? `[${host}]` : host}:${String(port)}`;
}
