import { createServer, type Server, type Socket } from 'node:net';
import { canonicalHost, isLoopback, listenOn, type Logger, type Metrics } from '@wrkz/service-kit';
import { StratumBudgets } from './budget';
import { StratumClient } from './client';
import { JobMaker } from './job-maker';
import { ADDRESS_PART, LOGIN_GRACE } from './limits';
import type { StratumContext } from './methods';
import type { StratumNode } from './ports';
import type { StratumSession } from './session';
import { ShareCheck } from './share-check';
import { ShareDifficulty, type ShareDifficultyRule } from './share-difficulty';
import { ShareHasher } from './share-hasher';
import { StratumWorkers } from './workers';

export interface StratumSettings {
  readonly host: string;
  /** 0 takes a free one. */
  readonly port: number;
  readonly shareDifficulty: ShareDifficultyRule;
  readonly maxConnections: number;
}

export interface StratumServerParts {
  readonly node: StratumNode;
  readonly logger: Logger;
  /** Hashes shares on the native threads. */
  readonly hasher: ShareHasher;
  readonly metrics?: Metrics | undefined;
  /** Monotonic milliseconds. */
  readonly now: () => number;
}

/** Milliseconds from one look at the connections to the next. */
const LOOK_INTERVAL = 1_000;

/** Miners that connect directly to the node (docs/protocol/stratum.md#methods). */
export class StratumServer {
  readonly workers: StratumWorkers;
  private readonly server: Server;
  private readonly clients = new Set<StratumClient>();
  private readonly budgets: StratumBudgets;
  private readonly context: StratumContext;
  private readonly ends: (() => void)[] = [];
  private toldFull = false;
  private stopping = false;

  constructor(
    private readonly settings: StratumSettings,
    private readonly parts: StratumServerParts,
  ) {
    const { node, logger, hasher, metrics, now } = parts;
    this.budgets = new StratumBudgets(now);
    this.workers = new StratumWorkers(now, metrics);
    this.context = {
      node,
      jobs: new JobMaker(node, now),
      shares: new ShareCheck(node, hasher, this.workers, logger),
      workers: this.workers,
      onLogin: (session) => this.tellLogin(session),
    };
    metrics?.gauge('stratum_connections', 'Miners connected over stratum', [], (gauge) => gauge.set(this.clients.size));
    this.server = createServer({ noDelay: true }, (socket) => this.accept(socket));
  }

  /** The port that listens. */
  get port(): number {
    const address = this.server.address();
    return typeof address === 'object' && address !== null ? address.port : 0;
  }

  get host(): string {
    return this.settings.host;
  }

  get connections(): readonly StratumClient[] {
    return [...this.clients];
  }

  /** @throws Error with a message for the operator when the port cannot be used */
  async start(): Promise<void> {
    const { host, port, shareDifficulty } = this.settings;
    await listenOn(this.server, { host, port, portOption: 'stratum-bind-port' }, false);
    this.server.on('error', (error) => this.parts.logger.warning(`the stratum listener: ${error.message}`));
    const looks = setInterval(() => this.look(), LOOK_INTERVAL);
    this.ends.push(
      () => clearInterval(looks),
      this.parts.node.onTip(() => this.refreshAll()),
    );
    this.parts.logger.info(
      shareDifficulty.fixed === 0n && shareDifficulty.interval === 0
        ? 'shares are set at the difficulty of the network: a miner reports a block when it has found one'
        : 'shares below the difficulty of the network are counted',
    );
  }

  /** Takes nobody any more, lets what is under way end, and closes every connection. */
  async stop(): Promise<void> {
    this.stopping = true;
    for (const end of this.ends.splice(0)) end();
    const closed = new Promise<void>((resolve) => this.server.close(() => resolve()));
    const all = [...this.clients];
    for (const client of all) client.cut('the node stops');
    await Promise.all(all.map((client) => client.idle()));
    await closed;
  }

  /** What is done each second: ends those who block or never log in, and makes up for jobs that could not be made. */
  look(): void {
    for (const client of this.clients) {
      client.look();
      if (client.session.login !== undefined) void client.refresh();
    }
  }

  private refreshAll(): void {
    for (const client of this.clients) if (client.session.login !== undefined) void client.refresh();
  }

  private accept(socket: Socket): void {
    socket.on('error', () => undefined);
    const host = canonicalHost(socket.remoteAddress ?? '');
    if (host === undefined || this.stopping || !this.hasPlace(host)) return void socket.destroy();
    const budget = this.budgets.enter(host);
    if (budget === undefined) return void socket.destroy();
    const { logger, now } = this.parts;
    const client = new StratumClient(socket, {
      host,
      budget,
      difficulty: new ShareDifficulty(this.settings.shareDifficulty, now),
      context: this.context,
      logger,
      now,
      onClosed: (left) => this.tellLeft(left),
    });
    this.clients.add(client);
  }

  /** Over the limit nobody is let in, unless somebody who takes long to log in can go. */
  private hasPlace(host: string): boolean {
    const { maxConnections } = this.settings;
    const most = Math.max(1, Math.floor(maxConnections * ADDRESS_PART));
    if (!isLoopback(host) && this.budgets.connectionsOf(host) >= most) return false;
    const open = [...this.clients].filter((client) => client.isOpen);
    if (open.length < maxConnections) {
      this.toldFull = false;
      return true;
    }
    const before = this.parts.now() - LOGIN_GRACE;
    const idler = open.find(({ session }) => session.login === undefined && session.parts.since <= before);
    idler?.cut('others want its place');
    if (idler === undefined && !this.toldFull) {
      this.toldFull = true;
      this.parts.logger.warning(`a miner was refused: all ${String(maxConnections)} stratum connections are taken`);
    }
    return idler !== undefined;
  }

  private tellLogin({ login, parts }: StratumSession): void {
    const agent = login === undefined || login.agent === '' ? '' : ` (${login.agent})`;
    this.parts.logger.info(`a miner has logged in from ${parts.host}${agent}: ${login?.worker.name ?? ''}`);
  }

  private tellLeft(client: StratumClient): void {
    this.clients.delete(client);
    const { reason, session } = client;
    const why = reason === undefined ? 'has left' : `was disconnected: ${reason}`;
    const line = `the miner from ${session.parts.host} ${why}`;
    if (session.login === undefined) this.parts.logger.debug(line);
    else
      this.parts.logger.info(`${line}; ${String(session.accepted)} shares, ${String(session.blocks)} blocks counted`);
  }
}
