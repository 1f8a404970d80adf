import { type ChainDb, commitCounter, logBytes, openChainDb } from '@wrkz/chain-db';
import { cpuFeatures, setThreads } from '@wrkz/crypto';
import {
  Closers,
  type Control,
  createMetrics,
  endpointText,
  ensureDirectory,
  type HttpServer,
  type Logger,
  type ReloadTask,
  RequestCounters,
  type Service,
  VERSION,
} from '@wrkz/service-kit';
import { AnnouncedWork } from './chain/announced-work';
import { loadCheckpoints } from './chain/checkpoints';
import { ChainClient } from './chain/client';
import { ChainDamaged, type ChainService, type CommitListener } from './chain/service';
import type { RefusedSwitch } from './chain/side-branches';
import type { DaemonConfig } from './config/config';
import { resyncAtStart, rewindAtStart } from './actions/action';
import { runAction } from './actions/run-action';
import type { ConsoleContext } from './console/command';
import { LogTail } from './console/commands/log';
import { ConsoleRunner } from './console/runner';
import { startLocalConsole } from './console/terminal/local-console';
import { Screen } from './console/terminal/screen';
import { DamageWatch, operatorText } from './damage/damage-watch';
import { startNodeHooks } from './events/hooks';
import { startJournal } from './events/journal/event-journal';
import { NodeEvents } from './events/node-events';
import { EventSource } from './events/routes/event-source';
import { topicStream } from './events/topics';
import { startWebSocket } from './events/websocket/hub';
import { startZmq } from './events/zmq';
import { ChainValidator } from './mempool/chain-validator';
import { TransactionPool } from './mempool/pool';
import { PoolFile } from './mempool/pool-file';
import { BlockGenerator } from './mining/generate';
import { Miner } from './mining/miner';
import type { P2pConfig } from './p2p/config';
import { P2pNode } from './p2p/node';
import { startPortMapping } from './p2p/port-mapping/port-mapping';
import { logChain, StorageLog } from './progress/chain-log';
import { notices, openingLines, SyncProgressDisplay } from './progress/progress';
import { type QueryRunner, readerThreads, ReaderPool, rpcCounters, startRpcServer, SyncCache } from './rpc';
import type { RpcProcesses } from './serve-rpc/processes';
import { SnapshotExporter } from './snapshot/exporter';
import { startStratum, type StratumServer } from './stratum/server';
import { Compaction } from './upkeep/compaction';
import { diskShortage, freeBytes, LowDiskWatch, minWritableBytes } from './upkeep/disk-space';
import { logWritePauses, publishUpkeepMetrics } from './upkeep/metrics';
import { pageRepair, Scrub } from './upkeep/scrub';
import { accessTokenTask, rpcContext, rpcProcesses, rpcServerOptions, startLocalSocket } from './wiring/rpc';
import { daemonLogger } from './wiring/logger';
import { databaseMemory, engineOptions, sideTransactions, watchLiteRule, watchStorage } from './wiring/storage';
import { P2pChain, p2pPool } from './wiring/p2p-ports';
import { peersConfig } from './wiring/peers';

/** Replacements for tests. */
export interface DaemonOverrides {
  readonly control?: Pick<Control, 'requestStop'>;
  readonly logger?: Logger;
  /** Unix seconds. */
  readonly now?: () => number;
  /** Shows the progress and the console. */
  readonly stream?: NodeJS.WriteStream;
  /** The input of the console; undefined for none. */
  readonly input?: NodeJS.ReadStream;
}

/** The components of a running daemon, for tests. */
export interface DaemonComponents {
  readonly chain: ChainService;
  readonly pool: TransactionPool;
  readonly peers: P2pNode;
  /** Undefined if stratum is disabled or its port is not available. */
  readonly stratum?: StratumServer | undefined;
  readonly events?: NodeEvents;
  readonly scrub?: Scrub;
  readonly rpcProcesses?: RpcProcesses | undefined;
}

/** Expired transactions are removed from the pool at this interval. */
const POOL_SWEEP_INTERVAL_MS = 60_000;
/** Max wait for running requests when the daemon stops. */
const RPC_DRAIN_MS = 2_000;

/** The node. Creates, connects and closes all its components. Call `create`, `start`, `stop` in this order. */
export class Daemon implements Service {
  readonly logger: Logger;
  readonly reload: ReloadTask[] = [];
  private readonly now: () => number;
  private readonly screen: Screen;
  private readonly tail = new LogTail();
  private readonly notice: (line: string) => void;
  private readonly stopping = new AbortController();
  private readonly closers = new Closers();
  private action: Promise<number> | undefined;
  private http: HttpServer | undefined;
  private running: DaemonComponents | undefined;
  /** The reason why the node stopped following the chain; undefined while it follows. */
  private damaged: string | undefined;

  private constructor(
    private readonly config: DaemonConfig,
    private readonly overrides: DaemonOverrides,
    private readonly p2pConfig: P2pConfig,
  ) {
    this.screen = new Screen(overrides.stream ?? process.stdout);
    this.logger = overrides.logger ?? daemonLogger(config, [this.screen, this.tail]);
    this.now = overrides.now ?? (() => Math.floor(Date.now() / 1000));
    this.notice = notices(this.logger, this.screen);
    for (const warning of config.warnings) this.logger.warning(warning);
    this.reload.push(...accessTokenTask(config.accessToken, this.logger));
  }

  /** @throws UsageError for an invalid address of a peer, before the log file is created */
  static create(config: DaemonConfig, overrides: DaemonOverrides = {}): Daemon {
    return new Daemon(config, overrides, peersConfig(config));
  }

  /** The exit code of an import, export or verify; undefined for a daemon that serves. */
  get finished(): Promise<number> | undefined {
    return this.action;
  }

  /** The ports after the start. */
  get ports(): { readonly rpc: number; readonly p2p: number } {
    return { rpc: this.http?.port ?? 0, p2p: this.running?.peers.port ?? 0 };
  }

  /** @throws Error unless it serves */
  get parts(): DaemonComponents {
    if (this.running === undefined) throw new Error('the daemon does not run');
    return this.running;
  }

  /** @throws Error with a message for the operator; everything opened so far is closed again */
  async start(): Promise<void> {
    const { action, options } = this.config;
    const threads = options['transaction-validation-threads'];
    if (threads > 0) setThreads(threads);
    if (action !== 'serve') {
      const parts = { config: this.config, notice: this.notice, screen: this.screen, signal: this.stopping.signal };
      this.action = runAction(action, parts).catch((error: unknown) => {
        this.logger.fatal(`the ${action} failed: ${operatorText(error)}`);
        return 1;
      });
      return;
    }
    try {
      await this.serve();
    } catch (error) {
      this.stopping.abort();
      this.running = undefined;
      return this.closers.closeAfter(error);
    }
  }

  /** @throws AggregateError after everything else is closed */
  async stop(): Promise<void> {
    this.stopping.abort();
    this.running = undefined;
    await this.action;
    await this.closers.closeAll();
  }

  private async serve(): Promise<void> {
    const { config, logger, now } = this;
    const { network, options } = config;
    logger.debug('the processor', { features: cpuFeatures() });
    resyncAtStart(config, this.notice);
    const directory = ensureDirectory(config.directory);
    this.closers.use('the screen', this.screen);
    const commits = commitCounter();
    const setup = { ...engineOptions(config, directory), commits };
    const memory = databaseMemory(options);
    const chain = this.closers.use('the chain engine', await ChainClient.start(setup), (client) => client.stop());
    chain.on('failed', (error) => this.onChainFailed(error));
    const damage = new DamageWatch(logger);
    chain.on('damage', (error) => void damage.note(error));
    const onListenerError = (error: unknown): void => logger.error('an event listener failed', { error });
    const events = this.closers.use('the events', new NodeEvents(onListenerError));
    const storageLog = new StorageLog(chain, logger.child('storage'), (branch) => events.publishRefusedBranch(branch));
    this.closers.use('the storage log', storageLog);
    this.closers.add('the write pause log', logWritePauses(chain, logger.child('upkeep')));
    const lowDiskWatch = new LowDiskWatch({
      folder: directory,
      minBytes: options['auto-prune-min-free-bytes'],
      logger: logger.child('upkeep'),
    });
    this.closers.use('the disk space watch', lowDiskWatch.start(), (watch) => watch.stop());
    for (const line of openingLines(chain.opening)) this.notice(line);
    await rewindAtStart(config, chain, this.notice);
    this.closers.add('the chain log', logChain(chain, logger.child('chain')));

    const open = (): ChainDb => openChainDb({ directory, network: network.name, readonly: true, memory, commits });
    const db = this.closers.use('the database', open());
    const { reader } = db;
    this.closers.add(
      'the database file watch',
      watchStorage(db, (error) => this.giveUp(error)),
    );
    const pool = new TransactionPool(new ChainValidator(network, reader, now));
    events.followChain(chain); // before the pool follows it
    events.followPool(pool);
    const follow: CommitListener = (event) => void pool.onCommit(event).catch((error: unknown) => this.giveUp(error));
    chain.on('commit', follow);
    const sweep = (): void => void pool.sweep().catch((error: unknown) => this.giveUp(error));
    const sweeps = setInterval(sweep, POOL_SWEEP_INTERVAL_MS);
    // Unsubscribes first: the engine still commits while it stops, when the pool's database connection is already closed.
    this.closers.use('the pool', sweeps, (timer) => {
      clearInterval(timer);
      chain.off('commit', follow);
    });
    const checkpoints = loadCheckpoints(setup.checkpoints, network);
    const poolFile = new PoolFile({
      ...{ directory, network: network.name, pool, logger: logger.child('pool') },
      branches: () => sideTransactions(reader, checkpoints, damage),
    });
    this.closers.use('the pool file', poolFile);
    await poolFile.load(this.stopping.signal); // before the journal starts: its clients received these transactions in the last run

    const miner = new Miner({ network, reader, chain, pool, now });
    const generator = new BlockGenerator(network, miner, now, this.stopping.signal);
    const work = new AnnouncedWork(network, checkpoints, reader);
    const peers = new P2pNode(this.p2pConfig, {
      chain: new P2pChain(chain, reader, work, damage, config.storage),
      pool: p2pPool(pool, damage),
      logger: logger.child('p2p'),
    });
    this.closers.use('the peers', peers, (node) => node.stop());
    const stop = (text: string): void => {
      logger.fatal(text);
      this.overrides.control?.requestStop(1);
    };
    const lite = { storage: config.storage, network, reader, chain, peers, stop };
    this.closers.add('the lite node check', watchLiteRule(lite));
    const sources = { config, directory, events, chain, pool, peers, logger: logger.child('events') };
    const journal = this.closers.use('the event journal', await startJournal(sources));
    const hooks = this.closers.use('the hooks', await startNodeHooks({ ...sources, journal }));
    const topics = topicStream(events, reader.floors().lite);
    this.closers.use('the ZMQ publisher', await startZmq(config, topics, logger.child('zmq')));
    if (options['ban-list'].length > 0) this.reload.push({ name: 'the ban lists', run: () => peers.reload() });
    await peers.start();
    this.closers.use('the port mapping', startPortMapping(config, peers, logger.child('upnp')), (mapping) =>
      mapping?.stop(),
    );
    this.running = { chain, pool, peers };

    const readers = this.closers.use(
      'the reader threads',
      new ReaderPool({
        directory,
        network: network.name,
        memory,
        threads: readerThreads(options['db-threads']),
        maxRpm: options['rpc-max-rpm'],
      }),
    );
    const maxBytes = options['rpc-sync-cache-size'] * 1024 * 1024;
    const syncCache =
      maxBytes === 0
        ? undefined
        : this.closers.use('the sync cache', new SyncCache({ queries: readers, source: db, chain }, maxBytes));
    const queries: QueryRunner = syncCache ?? readers;
    const eventLimits = { maxClients: options['events-max-clients'], stopping: this.stopping.signal };
    const eventSource = new EventSource(journal, eventLimits);
    const damaged = (): string | undefined => this.damaged;
    const refusedBranch = (): RefusedSwitch | undefined => storageLog.refusedBranch;
    const node = { chain, pool, miner, generator, peers, damaged, refusedBranch };
    const parts = { config, reader, queries, ...node, now, events: eventSource };
    const context = rpcContext(parts);
    const metrics = options['enable-metrics'] ? createMetrics('wrkz_') : undefined;
    if (metrics !== undefined)
      for (const part of [damage, journal, hooks, storageLog, peers, pool]) part.publish(metrics);
    const stratum = this.closers.use(
      'stratum',
      await startStratum({ options, chain, miner, peers, events, logger: logger.child('stratum'), metrics }),
      (miners) => miners?.stop(),
    );
    this.running = { chain, pool, peers, stratum };
    const webSocket = startWebSocket(config, topics, () => chain.tip());
    const shared = {
      ...rpcServerOptions(config),
      ...webSocket?.rpc,
      onError: (error: unknown) => void damage.note(error),
      ...(metrics === undefined ? {} : { metrics }),
      ...(syncCache === undefined ? {} : { syncCache }),
    };
    const server = { ...shared, counters: rpcCounters(context, shared) };
    this.http = this.closers.use('the RPC', await startRpcServer(context, server, logger.child('rpc')), (http) =>
      http.close(RPC_DRAIN_MS),
    );
    this.closers.use('the WebSocket clients', webSocket, (open) => open?.hub.close()); // before the RPC server destroys their sockets
    const compaction = new Compaction(options, {
      chain,
      reader,
      diskShortage: () => diskShortage(directory, minWritableBytes(options)),
      logger: logger.child('upkeep'),
    });
    this.closers.use('the compaction', compaction, (running) => running.stop());
    // Stopping the console waits for its command, and the command may wait for the compaction.
    this.stopping.signal.addEventListener('abort', () => void compaction.stop(), { once: true });
    compaction.enable();
    if (metrics !== undefined) {
      publishUpkeepMetrics(metrics, {
        paused: () => chain.diskShortage !== undefined,
        freeBytes: () => freeBytes(directory),
        // A damaged file header must not fail the metrics request.
        fileSpace: () => damage.orUndefined(() => reader.fileSpace()),
        logBytes: () => logBytes(directory),
        compaction,
      });
    }
    const repair = pageRepair(reader, chain, peers, this.stopping.signal);
    const scrub = new Scrub({ reader, damage, events, repair, log: this.notice }, options['scrub-hours']);
    scrub.start();
    this.closers.use('the scrub', scrub, (running) => running.stop());
    this.running = { ...this.running, events, scrub };
    if (metrics !== undefined) scrub.publish(metrics);
    const runner = new ConsoleRunner();
    // RPC processes count the requests that they forward to the socket.
    const localRpc = options['rpc-processes'] === 0 ? server : { ...server, counters: new RequestCounters() };
    const socket = { config, context, rpc: localRpc, runner, notice: this.notice, logger: logger.child('rpc') };
    const local = await startLocalSocket(socket);
    this.closers.use('the local socket', local, (http) => http?.close(RPC_DRAIN_MS));
    const hasSocket = local !== undefined;
    const { counters } = server;
    const { http } = this;
    const stopping = this.stopping.signal;
    const processes = rpcProcesses({ config, hasSocket, http, counters, logger, stopping });
    this.closers.use('the RPC processes', processes, (running) => running?.stop());
    await processes?.start(options['rpc-processes']);
    this.running = { ...this.running, rpcProcesses: processes };
    if (processes !== undefined) this.reload.push({ name: 'the RPC processes', run: () => processes.reload() });
    this.notice(
      `wrkz-daemon ${VERSION} on ${network.name}, block ${String(chain.tip().height)}; ` +
        `peers at ${peers.listensAt.map(endpointText).join(' and ')}, ` +
        `RPC at http://${endpointText({ host: options['rpc-bind-ip'], port: this.http.port })}; data in ${directory}`,
    );
    if (config.preset.length > 0) this.notice(`--public-node sets ${config.preset.join(', ')}`);
    const progress = new SyncProgressDisplay({ chain, peers, write: this.notice, screen: this.screen });
    this.closers.use('the progress display', progress, (display) => display.stop());
    this.openConsole(runner, { rpc: context, pool, peers, stratum, compaction, scrub, directory });
  }

  /** Starts the console on the terminal and on the local socket. */
  private openConsole(
    runner: ConsoleRunner,
    parts: Omit<ConsoleContext, 'network' | 'snapshots' | 'logger' | 'tail' | 'listensAt' | 'requestStop'> & {
      readonly peers: P2pNode;
    },
  ): void {
    const { config, logger, tail, screen } = this;
    const { control, input } = this.overrides;
    const requestStop = (): void => control?.requestStop();
    const listensAt = parts.peers.listensAt.map(endpointText).join(' and ');
    const { network } = config;
    const { directory, rpc } = parts;
    const exporter = new SnapshotExporter({ directory, network, reader: rpc.reader, logger: logger.child('snapshot') });
    const snapshots = this.closers.use('the snapshot export', exporter);
    runner.open({ ...parts, network, snapshots, logger, tail, listensAt, requestStop });
    this.closers.use('the console', runner);
    if (input === undefined || config.options['no-console']) return;
    const end = startLocalConsole({ input, screen, runner, onInterrupt: requestStop });
    this.closers.add('the terminal', end);
  }

  /** On damage the node stops writing and following the chain, and still serves the data that it can read. */
  private onChainFailed(error: Error): void {
    if (!(error instanceof ChainDamaged) || this.running === undefined) return this.giveUp(error);
    this.damaged = error.message;
    this.logger.fatal(`the node has stopped following the chain and only serves requests: ${error.message}`);
    void this.running.peers.stop().catch((failure: unknown) => this.giveUp(failure));
  }

  /** Stops the daemon: the disk is full, or a component failed unexpectedly. */
  private giveUp(error: unknown): void {
    this.logger.fatal(`the daemon cannot continue: ${operatorText(error)}`, { error });
    this.overrides.control?.requestStop(1);
  }
}
