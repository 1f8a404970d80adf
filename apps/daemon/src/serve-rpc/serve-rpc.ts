import { cpuFeatures } from '@wrkz/crypto';
import {
  Closers,
  type Control,
  createMetrics,
  endpointText,
  type HttpServer,
  localSocketAddress,
  type Logger,
  loggerFromOptions,
  NODE_LOG_SCALE,
  type ReloadTask,
  type Service,
  VERSION,
} from '@wrkz/service-kit';
import { DamageWatch } from '../damage/damage-watch';
import { operatorText } from '../damage/operator-text';
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
import { databaseMemory } from '../wiring/database-memory';
import { accessTokenTask, rpcServerOptions } from '../wiring/rpc-server';
import { bindReader } from './bind-reader';
import { ChainSource } from './chain-source';
import type { ServeRpcConfig } from './config';
import { NodeFacts } from './node-facts';
import { NodeLink } from './node-link';
import { PassOn } from './pass-on';
import { readerContext } from './reader-context';

/** What a test may put in the place of the real thing. */
export interface ServeRpcOverrides {
  readonly control?: Pick<Control, 'requestStop'>;
  readonly logger?: Logger;
  /** Unix seconds. */
  readonly now?: () => number;
  /** Where the one line of the start goes. */
  readonly notice?: (line: string) => void;
}

/** Milliseconds that running requests have to end when the reader stops. */
const DRAIN = 2_000;

/** A reader process: the RPC of a node that runs beside it, put together here and nowhere else. */
export class ServeRpc implements Service {
  readonly logger: Logger;
  readonly reload: readonly ReloadTask[];
  private readonly now: () => number;
  private readonly closers = new Closers();
  private http: HttpServer | undefined;
  private chain: ChainSource | undefined;

  constructor(
    private readonly config: ServeRpcConfig,
    private readonly overrides: ServeRpcOverrides = {},
  ) {
    this.logger = overrides.logger ?? loggerFromOptions(config, { scale: NODE_LOG_SCALE });
    this.reload = accessTokenTask(config.accessToken, this.logger);
    this.now = overrides.now ?? (() => Math.floor(Date.now() / 1000));
    for (const warning of config.warnings) this.logger.warning(warning);
  }

  /** The port it listens on, once started. */
  get port(): number {
    return this.http?.port ?? 0;
  }

  /** The database that it reads, for tests that watch it. @throws Error unless it serves */
  get source(): ChainSource {
    if (this.chain === undefined) throw new Error('the reader does not run');
    return this.chain;
  }

  /** @throws Error with a message for the operator; everything opened so far is closed again */
  async start(): Promise<void> {
    try {
      await this.serve();
    } catch (error) {
      return this.closers.closeAfter(error);
    }
  }

  /** @throws AggregateError after everything else is closed */
  stop(): Promise<void> {
    return this.closers.closeAll();
  }

  private async serve(): Promise<void> {
    const { config, logger, now } = this;
    const { options, network, directory } = config;
    logger.debug('the processor', { features: cpuFeatures() });
    const { readerCache = 0 } = databaseMemory({ ...options, 'db-write-buffer-size': 1 });
    const threads = readerThreads(options['db-threads']);
    const setup = { directory, network: network.name, memory: { readerCache }, threads };
    const source = this.closers.use('the database', ChainSource.open(setup, logger.child('chain')), (open) =>
      open.close(),
    );
    this.chain = source;
    source.on('failed', (error) => this.giveUp(error));
    const link = new NodeLink({ socket: config.nodeSocket, token: options['node-access-token'] });
    const facts = new NodeFacts({ link, logger: logger.child('node') });
    source.on('commit', () => {
      facts.spoil();
      void facts.refresh();
    });
    await facts.refresh();
    const syncCache = this.openSyncCache(source);
    const queries = seenFirst(source, syncCache ?? source);
    const context = readerContext({ config, source, queries, facts, now });
    await this.listen(context, { link, facts, syncCache });
    this.tellStart(facts);
  }

  private openSyncCache(source: ChainSource): SyncCache | undefined {
    const maxBytes = this.config.options['rpc-sync-cache-size'] * 1024 * 1024;
    if (maxBytes === 0) return undefined;
    const reader = {
      tip: () => source.reader.tip(),
      heightOf: (hash: Buffer) => source.reader.heightOf(hash),
      floors: () => source.reader.floors(),
    };
    const cache = new SyncCache({ queries: source, reader, chain: source, maxBytes });
    return this.closers.use('the sync cache', cache, (open) => open.close());
  }

  private async listen(
    context: RpcContext,
    { link, facts, syncCache }: { link: NodeLink; facts: NodeFacts; syncCache: SyncCache | undefined },
  ): Promise<void> {
    const { config, logger } = this;
    const { options } = config;
    const damage = new DamageWatch(logger);
    const metrics = options['enable-metrics'] ? createMetrics('wrkz_') : undefined;
    if (metrics !== undefined) damage.publish(metrics);
    const silenceMs = options['node-timeout'] * 1000;
    const passOn = new PassOn({ link, silenceMs, onAnswered: () => facts.spoil() });
    const shared: RpcServerOptions = {
      ...rpcServerOptions(config),
      bind: (routes, own) => bindReader(routes, own, { facts, passOn }),
      onError: (error) => void damage.note(error),
      ...(metrics === undefined ? {} : { metrics }),
      ...(syncCache === undefined ? {} : { syncCache }),
    };
    const server = { ...shared, counters: rpcCounters(context, shared) };
    this.http = this.closers.use('the RPC', await startRpcServer(context, server, logger.child('rpc')), (http) =>
      http.close(DRAIN),
    );
    const socket = localSocketAddress(options['rpc-ipc-path'], options['rpc-ipc-mode'], options['rpc-ipc-group']);
    if (socket === undefined) return;
    const local = { socket, requireToken: options['rpc-ipc-require-token'], routes: [] };
    this.closers.use('the local socket', await startLocalRpc(context, server, local, logger.child('rpc')), (http) =>
      http?.close(DRAIN),
    );
  }

  private tellStart(facts: NodeFacts): void {
    const { config, overrides } = this;
    const { options, network, directory, nodeSocket } = config;
    const where = endpointText({ host: options['rpc-bind-ip'], port: this.port });
    const node = facts.trouble === undefined ? '' : `, which cannot be asked now: ${facts.trouble}`;
    const write = overrides.notice ?? ((line: string) => void process.stdout.write(`${line}\n`));
    write(
      `wrkz-daemon ${VERSION} serve-rpc on ${network.name}, block ${String(this.source.reader.height())}; ` +
        `RPC at http://${where}; reads ${directory}; node at ${nodeSocket}${node}`,
    );
  }

  private giveUp(error: unknown): void {
    this.logger.fatal(`the reader cannot go on: ${operatorText(error)}`, { error });
    this.overrides.control?.requestStop(1);
  }
}

/** Questions that see what was committed before they are answered from what is kept. */
function seenFirst(source: ChainSource, queries: QueryRunner): QueryRunner {
  return {
    run: (name, query, caller) => {
      source.look();
      return queries.run(name, query, caller);
    },
  };
}
