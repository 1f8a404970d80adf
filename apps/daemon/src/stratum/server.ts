import { createServer, type Server, type Socket } from 'node:net';
import { availableParallelism } from 'node:os';
import { canonicalHost, errorText, isLoopback, listenOn, type Logger, type Metrics } from '@wrkz/service-kit';
import type { ChainService } from '../chain/service';
import type { DaemonOptions } from '../config/config';
import type { NodeEvents } from '../events/node-events';
import type { Miner } from '../mining/miner';
import type { NetworkStatus } from '../rpc';
import { StratumClient, type StratumContext } from './client';
import { JobMaker, type StratumNode } from './jobs';
import { ADDRESS_PART, LOGIN_GRACE, SHARE_GRACE, StratumBudgets } from './limits';
import { ShareDifficulty, type ShareDifficultyRule, type StratumSession } from './session';
import { ShareCheck, ShareHasher } from './shares';
import { StratumWorkers } from './workers';

export interface StratumOptions {
  readonly host: string;
  /** 0: a free port. */
  readonly port: number;
  readonly shareDifficulty: ShareDifficultyRule;
  readonly maxConnections: number;
}

export interface StratumServerDependencies {
  readonly node: StratumNode;
  readonly logger: Logger;
  /** Hashes shares on native threads. */
  readonly hasher: ShareHasher;
  readonly metrics?: Metrics | undefined;
  /** Monotonic milliseconds. */
  readonly now: () => number;
}

/** Milliseconds between two checks of all connections. */
const CHECK_INTERVAL_MS = 1_000;

/** Miners that connect directly to the node (docs/protocol/stratum.md#methods). */
export class StratumServer {
  readonly workers: StratumWorkers;
  private readonly server: Server;
  private readonly clients = new Set<StratumClient>();
  private readonly budgets: StratumBudgets;
  private readonly context: StratumContext;
  private readonly ends: (() => void)[] = [];
  private loggedFull = false;
  private stopping = false;

  constructor(
    private readonly options: StratumOptions,
    private readonly dependencies: StratumServerDependencies,
  ) {
    const { node, logger, hasher, metrics, now } = dependencies;
    this.budgets = new StratumBudgets(now);
    this.workers = new StratumWorkers(now, metrics);
    const jobs = new JobMaker(node, now);
    this.context = {
      node,
      jobs,
      shares: new ShareCheck(node, jobs, hasher, this.workers, logger),
      workers: this.workers,
      onLogin: (session) => this.logLogin(session),
    };
    metrics?.gauge('stratum_connections', 'Miners connected over stratum', [], (gauge) => gauge.set(this.clients.size));
    this.server = createServer({ noDelay: true }, (socket) => this.accept(socket));
  }

  /** The port it listens on. */
  get port(): number {
    const address = this.server.address();
    return typeof address === 'object' && address !== null ? address.port : 0;
  }

  get host(): string {
    return this.options.host;
  }

  get connections(): readonly StratumClient[] {
    return [...this.clients];
  }

  /** @throws Error with a message for the operator when the port cannot be used */
  async start(): Promise<void> {
    const { host, port, shareDifficulty } = this.options;
    await listenOn(this.server, { host, port, portOption: 'stratum-bind-port' }, false);
    this.server.on('error', (error) =>
      this.dependencies.logger.warning(`the stratum listener failed: ${error.message}`),
    );
    const checks = setInterval(() => this.check(), CHECK_INTERVAL_MS);
    this.ends.push(
      () => clearInterval(checks),
      this.dependencies.node.onTip(() => {
        for (const client of this.clients) if (client.session.login !== undefined) void client.refresh();
      }),
    );
    this.dependencies.logger.info(
      onlyBlocks(shareDifficulty)
        ? 'the share difficulty is that of the network: miners only submit blocks'
        : 'the share difficulty is below that of the network',
    );
  }

  /** Stops accepting, waits for running requests, and closes every connection. */
  async stop(): Promise<void> {
    this.stopping = true;
    for (const end of this.ends.splice(0)) end();
    const closed = new Promise<void>((resolve) => this.server.close(() => resolve()));
    const all = [...this.clients];
    for (const client of all) client.connection.cut('the node stops');
    await Promise.all(all.map((client) => client.idle()));
    await closed;
  }

  /** Called each second: closes clients that stall or do not log in, and retries jobs that could not be built. */
  check(): void {
    for (const client of this.clients) {
      client.check();
      if (client.session.login !== undefined) void client.refresh();
    }
  }

  private accept(socket: Socket): void {
    socket.on('error', () => undefined);
    const host = canonicalHost(socket.remoteAddress ?? '');
    if (host === undefined || this.stopping) return void socket.destroy();
    // Checked first: an address over its rate limit must not displace another one.
    const budget = this.budgets.enter(host);
    if (budget === undefined) return void socket.destroy();
    if (!this.hasPlace(host)) {
      budget.release();
      return void socket.destroy();
    }
    const { logger, now } = this.dependencies;
    const client = new StratumClient(socket, {
      host,
      budget,
      difficulty: new ShareDifficulty(this.options.shareDifficulty, now),
      context: this.context,
      logger,
      now,
      onClosed: (left) => this.onLeft(left),
    });
    this.clients.add(client);
  }

  /** Whether a connection of this address is accepted. If all slots are in use, another connection may be closed. */
  private hasPlace(host: string): boolean {
    const { maxConnections } = this.options;
    const maxOfAddress = Math.max(1, Math.floor(maxConnections * ADDRESS_PART));
    if (!isLoopback(host) && this.budgets.connectionsOf(host) > maxOfAddress) return false;
    const open = [...this.clients].filter(({ connection }) => connection.isOpen);
    if (open.length < maxConnections) {
      this.loggedFull = false;
      return true;
    }
    const replaced = this.replaceable(open, host);
    replaced?.connection.cut('all slots are in use and another miner connected');
    if (replaced === undefined && !this.loggedFull) {
      this.loggedFull = true;
      this.dependencies.logger.warning(
        `a miner was refused: all ${String(maxConnections)} stratum connections are in use. ` +
          'Raise --stratum-max-connections',
      );
    }
    return replaced !== undefined;
  }

  /**
   * The connection to close for a new one from `host`: first one without a login, then one whose address has sent no valid share
   * for SHARE_GRACE. Of those, the address with the most slots, then the longest without a share. Miners that only submit blocks
   * may work for hours without a share: they lose a slot only to an address with fewer slots.
   */
  private replaceable(open: readonly StratumClient[], host: string): StratumClient | undefined {
    const now = this.dependencies.now();
    const late = open.find(
      ({ session }) => session.login === undefined && session.dependencies.since <= now - LOGIN_GRACE,
    );
    if (late !== undefined) return late;
    const own = Math.max(1, this.budgets.connectionsOf(host));
    const mayGive = (places: number): boolean => places > own || !onlyBlocks(this.options.shareDifficulty);
    const silent = open
      .map((client) => {
        const { budget, host } = client.session.dependencies;
        return { client, since: budget.silentSince(), places: this.budgets.connectionsOf(host) };
      })
      .filter(({ since, places }) => since <= now - SHARE_GRACE && mayGive(places));
    return silent.sort((a, b) => b.places - a.places || a.since - b.since)[0]?.client;
  }

  private logLogin({ login, dependencies }: StratumSession): void {
    const agent = login === undefined || login.agent === '' ? '' : ` (${login.agent})`;
    this.dependencies.logger.info(`a miner logged in from ${dependencies.host}${agent}: ${login?.worker.name ?? ''}`);
  }

  private onLeft(client: StratumClient): void {
    this.clients.delete(client);
    const { session, connection } = client;
    const { reason } = connection;
    const why = reason === undefined ? 'disconnected' : `was disconnected: ${reason}`;
    const line = `the miner from ${session.dependencies.host} ${why}`;
    if (session.login === undefined) this.dependencies.logger.debug(line);
    else
      this.dependencies.logger.info(
        `${line}; ${String(session.accepted)} shares, ${String(session.blocks)} blocks counted`,
      );
  }
}

/** Whether shares must meet the difficulty of the network. */
function onlyBlocks({ fixed, interval }: ShareDifficultyRule): boolean {
  return fixed === 0n && interval === 0;
}

export interface StratumDependencies {
  readonly options: DaemonOptions;
  readonly chain: Pick<ChainService, 'tip'>;
  readonly miner: Pick<Miner, 'body' | 'complete' | 'add'>;
  readonly peers: Pick<NetworkStatus, 'isSynchronized' | 'observedHeight' | 'networkHeight'>;
  readonly events: Pick<NodeEvents, 'subscribe'>;
  readonly logger: Logger;
  readonly metrics?: Metrics | undefined;
}

/** Starts the stratum server if it is enabled. A port that cannot be bound is a warning: the node runs without stratum. */
export async function startStratum(dependencies: StratumDependencies): Promise<StratumServer | undefined> {
  const { options, logger, metrics } = dependencies;
  if (options['stratum-bind-port'] === 0) return undefined;
  const settings = {
    host: options['stratum-bind-ip'],
    port: options['stratum-bind-port'],
    shareDifficulty: {
      fixed: BigInt(options['stratum-share-difficulty']),
      interval: options['stratum-share-interval'],
    },
    maxConnections: Math.max(1, options['stratum-max-connections']),
  };
  const now = (): number => performance.now();
  const hasher = new ShareHasher(Math.max(1, availableParallelism() >> 1));
  const server = new StratumServer(settings, { node: stratumNode(dependencies), logger, hasher, metrics, now });
  try {
    await server.start();
    return server;
  } catch (error) {
    logger.warning(`the stratum server is off: ${errorText(error)}`);
    return undefined;
  }
}

/**
 * Whether miners get jobs (docs/operations/mining.md#when-the-node-serves-jobs): not while peers report more blocks. A node
 * without peers is ready, so that a private chain can be mined; getblocktemplate does not check peers either.
 *
 * @param height index of the tip
 */
export function isReadyToMine(
  peers: Pick<NetworkStatus, 'isSynchronized' | 'observedHeight'>,
  height: number,
): boolean {
  return peers.isSynchronized() || height + 1 >= peers.observedHeight();
}

function stratumNode({ chain, miner, peers, events }: StratumDependencies): StratumNode {
  return {
    tip: () => chain.tip(),
    body: () => miner.body(),
    complete: (body, receiver, extraNonce) => miner.complete(body, receiver, extraNonce),
    add: (block) => miner.add(block),
    isReady: () => isReadyToMine(peers, chain.tip().height),
    networkHeight: () => peers.networkHeight(),
    onTip: (listener) =>
      events.subscribe(({ kind }) => {
        if (kind === 'block' || kind === 'reorganisation') listener();
      }),
  };
}
