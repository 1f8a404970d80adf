import type { Server as TcpServer } from 'node:net';
import { cpuFeatures } from '@wrkz/crypto';
import {
  ClosingService,
  type Control,
  createMetrics,
  endpointText,
  type HttpServer,
  localSocketAddress,
  type Logger,
  loggerFromOptions,
  NODE_LOG_SCALE,
  type ReloadTask,
  type RequestCounters,
  type UpgradeListener,
  VERSION,
} from '@wrkz/service-kit';
import { DamageWatch, operatorText } from '../damage/damage-watch';
import { webSocketRoute } from '../events/websocket/hub';
import {
  type QueryRunner,
  readerThreads,
  rpcCounters,
  type RpcContext,
  type RpcServerOptions,
  startLocalRpc,
  startRpcServer,
  SyncCache,
} from '../rpc';
import { accessTokenTask, rpcServerOptions } from '../wiring/rpc';
import { databaseMemory } from '../wiring/storage';
import { type BindDependencies, bindReaderRoutes } from './bind-routes';
import { ChainSource } from './chain-source';
import type { ServeRpcConfig } from './config';
import { NodeSocketClient, NodeInfoCache } from './node-client';
import { NodeProxy } from './node-proxy';
import { readerContext } from './reader-context';

/** Replacements for tests. */
export interface ServeRpcOverrides {
  readonly control?: Pick<Control, 'requestStop'>;
  readonly logger?: Logger;
  /** Unix seconds. */
  readonly now?: () => number;
  /** Prints the line of the start. */
  readonly notice?: (line: string) => void;
  /** Set in a process of the node (RpcProcesses): it listens on the node's listeners, one for each call of `share`. */
  readonly ofNode?: { readonly counters: RequestCounters };
}

/** Milliseconds for running requests when the process stops. */
const DRAIN_MS = 2_000;

/** A reader process: serves the RPC from the database of a node that runs beside it. The only composition root. */
export class ServeRpc extends ClosingService {
  readonly logger: Logger;
  override readonly reload: readonly ReloadTask[];
  private readonly now: () => number;
  private http: HttpServer | undefined;
  private chain: ChainSource | undefined;
  private rpc: { readonly context: RpcContext; readonly server: RpcServerOptions } | undefined;

  constructor(
    private readonly config: ServeRpcConfig,
    private readonly overrides: ServeRpcOverrides = {},
  ) {
    super();
    this.logger = overrides.logger ?? loggerFromOptions(config, { scale: NODE_LOG_SCALE });
    this.reload = accessTokenTask(config.accessToken, this.logger);
    this.now = overrides.now ?? (() => Math.floor(Date.now() / 1000));
    for (const warning of config.warnings) this.logger.warning(warning);
  }

  /** The listening port, once started. */
  get port(): number {
    return this.http?.port ?? 0;
  }

  /** The database, for tests. @throws Error before the start */
  get source(): ChainSource {
    if (this.chain === undefined) throw new Error('the reader is not running');
    return this.chain;
  }

  /**
   * Accepts connections of an open listener of the node. Listening begins before this call returns its promise.
   *
   * @param upgrade takes over a WebSocket connection; undefined if the node has none
   */
  async share(listener: TcpServer, upgrade?: UpgradeListener): Promise<void> {
    if (this.rpc === undefined) throw new Error('the reader is not running');
    const { context, server } = this.rpc;
    const webSocket = upgrade && { upgrade: () => upgrade, moreRoutes: [webSocketRoute] };
    const options = { ...server, ...webSocket, shared: listener };
    const started = startRpcServer(context, options, this.logger.child('rpc'));
    this.closers.use('a shared listener', await started, (http) => http.close(DRAIN_MS));
  }

  protected async serve(): Promise<void> {
    const { config, logger, now } = this;
    const { options, network, directory } = config;
    logger.debug('the processor', { features: cpuFeatures() });
    const { readerCache = 0 } = databaseMemory({ ...options, 'db-write-buffer-size': 1 });
    const threads = readerThreads(options['db-threads']);
    const maxRpm = options['rpc-max-rpm'];
    const chainOptions = { directory, network: network.name, memory: { readerCache }, threads, maxRpm };
    const source = this.closers.use('the database', ChainSource.open(chainOptions, logger.child('chain')));
    this.chain = source;
    source.on('failed', (error) => this.fail(error));
    const { ofNode } = this.overrides;
    const token = ofNode === undefined ? options['node-access-token'] : config.accessToken.current;
    const client = new NodeSocketClient(config.nodeSocket, token);
    const nodeInfo = new NodeInfoCache(client, logger.child('node'));
    source.on('commit', () => {
      nodeInfo.invalidate();
      void nodeInfo.refresh();
    });
    await nodeInfo.refresh();
    const syncCache = this.openSyncCache(source);
    const queries = afterCommits(source, syncCache ?? source);
    const context = readerContext({ config, source, queries, nodeInfo, now });
    const idleTimeoutMs = options['node-timeout'] * 1000;
    const proxy = new NodeProxy({ client, idleTimeoutMs, onChange: () => nodeInfo.invalidate() });
    const nodePaths = ofNode === undefined ? [] : ['/metrics'];
    await this.listen(context, { nodeInfo, proxy, nodePaths }, syncCache);
    if (ofNode === undefined) this.printStart(nodeInfo);
  }

  private openSyncCache(source: ChainSource): SyncCache | undefined {
    const maxBytes = this.config.options['rpc-sync-cache-size'] * 1024 * 1024;
    if (maxBytes === 0) return undefined;
    return this.closers.use('the sync cache', new SyncCache({ queries: source, source, chain: source }, maxBytes));
  }

  private async listen(context: RpcContext, binding: BindDependencies, syncCache?: SyncCache): Promise<void> {
    const { config, logger } = this;
    const { options } = config;
    const { ofNode } = this.overrides;
    const damage = new DamageWatch(logger);
    const metrics = options['enable-metrics'] ? createMetrics('wrkz_') : undefined;
    if (metrics !== undefined) damage.publish(metrics);
    const shared: RpcServerOptions = {
      ...rpcServerOptions(config),
      bind: (routes, own) => bindReaderRoutes(routes, own, binding),
      onError: (error) => void damage.note(error),
      ...(metrics === undefined ? {} : { metrics }),
      ...(syncCache === undefined ? {} : { syncCache }),
    };
    if (ofNode !== undefined) {
      this.rpc = { context, server: { ...shared, counters: ofNode.counters } };
      return;
    }
    const server = { ...shared, counters: rpcCounters(context, shared) };
    this.http = this.closers.use('the RPC', await startRpcServer(context, server, logger.child('rpc')), (http) =>
      http.close(DRAIN_MS),
    );
    const socket = localSocketAddress(options['rpc-ipc-path'], options['rpc-ipc-mode'], options['rpc-ipc-group']);
    if (socket === undefined) return;
    const local = { socket, requireToken: options['rpc-ipc-require-token'], routes: [] };
    this.closers.use('the local socket', await startLocalRpc(context, server, local, logger.child('rpc')), (http) =>
      http?.close(DRAIN_MS),
    );
  }

  private printStart({ failure }: NodeInfoCache): void {
    const { config, overrides } = this;
    const { options, network, directory, nodeSocket } = config;
    const address = endpointText({ host: options['rpc-bind-ip'], port: this.port });
    const node = failure === undefined ? '' : `, which does not respond: ${failure}`;
    const write = overrides.notice ?? ((line: string) => void process.stdout.write(`${line}\n`));
    write(
      `wrkz-daemon ${VERSION} serve-rpc on ${network.name}, block ${String(this.source.reader.height())}; ` +
        `RPC at http://${address}; reads ${directory}; node at ${nodeSocket}${node}`,
    );
  }

  private fail(error: unknown): void {
    this.logger.fatal(`the reader process stops: ${operatorText(error)}`, { error });
    this.overrides.control?.requestStop(1);
  }
}

/** Detects new commits before each query, so that the cache returns no outdated response. */
function afterCommits(source: ChainSource, queries: QueryRunner): QueryRunner {
  return {
    run: (name, query, caller) => {
      source.detectCommits();
      return queries.run(name, query, caller);
    },
  };
}
