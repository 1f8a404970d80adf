import { errorText, type Logger } from '@wrkz/service-kit';
import { Redis } from 'ioredis';
import { PowRefusal } from '../../refusals';
import { CHANNELS, DEPTH, PREFIX } from './scripts';

export const COMMAND_TIMEOUT_MS = 1_500;
const CONNECT_TIMEOUT_MS = 2_000;
/** Max delay before the next attempt to connect. */
const MAX_RECONNECT_MS = 1_000;
const RETRY_AFTER_SECONDS = 2;

export type Channel = keyof typeof CHANNELS;

export interface LinkEvents {
  /** Called when Redis became unreachable. */
  readonly onAway: () => void;
  readonly onMessage: (channel: Channel, id: string) => void;
}

/**
 * The Redis connections of one instance. A command fails within two seconds and is never sent again. While heartbeats fail,
 * all other commands are rejected immediately.
 */
export class RedisLink {
  private readonly commands: Redis;
  private readonly subscriber: Redis;
  private isAway = false;
  /** Number of outages. The result of a command sent before an outage must not change the current state. */
  private losses = 0;
  private isClosed = false;
  /** The last error of the connection: commands only report that it is closed. */
  private failure: Error | undefined;

  constructor(
    private readonly url: string,
    private readonly logger: Logger,
    private readonly events: LinkEvents,
  ) {
    this.commands = connection(url);
    this.subscriber = connection(url);
    // Without a listener the emitter would throw. Failures are handled through commands and the closed connection.
    this.commands.on('error', (error: Error) => (this.failure = error));
    this.subscriber.on('error', () => undefined);
  }

  /**
   * Opens both connections.
   * @throws Error with a message for the operator, without user and password
   */
  async open(): Promise<void> {
    try {
      await within(COMMAND_TIMEOUT_MS + CONNECT_TIMEOUT_MS, async () => {
        await Promise.all([this.commands.connect(), this.subscriber.connect()]);
        await this.subscriber.subscribe(...Object.values(CHANNELS));
        await this.ping();
        await this.commands.eval(DEPTH, 0);
      });
    } catch (error) {
      this.close();
      throw new Error(`cannot reach the queue at ${withoutCredentials(this.url)}: ${errorText(this.failure ?? error)}`);
    }
    this.subscriber.on('message', (name: string, id: string) =>
      this.events.onMessage(name.slice(PREFIX.length) as Channel, id),
    );
    this.commands.on('close', () => this.lost('the connection was closed'));
  }

  /**
   * Runs a script.
   * @throws PowRefusal `queueAway` if Redis is unreachable or does not run it
   */
  async run(script: string, ...args: readonly (number | string)[]): Promise<unknown[]> {
    if (this.isAway) throw away();
    return this.probe(script, ...args);
  }

  /** Runs a script also while Redis is unreachable; success ends the outage. */
  async probe(script: string, ...args: readonly (number | string)[]): Promise<unknown[]> {
    const losses = this.losses;
    try {
      const reply = (await this.commands.eval(script, 0, ...args)) as unknown[];
      if (losses === this.losses) this.reached();
      return reply;
    } catch (error) {
      if (losses === this.losses) this.lost(errorText(error));
      throw away();
    }
  }

  /** Whether Redis accepts a write now. */
  async isReachable(): Promise<boolean> {
    if (this.isAway || this.commands.status !== 'ready') return false;
    const losses = this.losses;
    return this.ping().then(
      () => losses === this.losses,
      (error: unknown) => {
        if (losses === this.losses) this.lost(errorText(error));
        return false;
      },
    );
  }

  close(): void {
    this.isClosed = true;
    this.commands.disconnect();
    this.subscriber.disconnect();
  }

  /** Tests a write: a Redis that is full, read-only or loading still responds to PING. */
  private async ping(): Promise<void> {
    await this.commands.set(`${PREFIX}ping`, '1', 'PX', 1_000);
  }

  private reached(): void {
    if (!this.isAway || this.isClosed) return;
    this.isAway = false;
    this.logger.info('the queue in Redis is reachable again');
  }

  private lost(reason: string): void {
    if (this.isAway || this.isClosed) return;
    this.isAway = true;
    this.losses++;
    this.logger.warning(`the queue in Redis is unreachable: ${reason}; jobs are refused until it is reachable again`);
    // Reconnect, so that pending commands do not run later.
    if (this.commands.status === 'ready') this.commands.disconnect(true);
    this.events.onAway();
  }
}

function connection(url: string): Redis {
  return new Redis(url, {
    lazyConnect: true,
    connectTimeout: CONNECT_TIMEOUT_MS,
    commandTimeout: COMMAND_TIMEOUT_MS,
    enableOfflineQueue: false,
    autoResendUnfulfilledCommands: false,
    maxRetriesPerRequest: 0,
    maxLoadingRetryTime: MAX_RECONNECT_MS,
    retryStrategy: (attempt) => Math.min(attempt * 100, MAX_RECONNECT_MS),
  });
}

function away(): PowRefusal {
  return new PowRefusal('queueAway', { retryAfterSeconds: RETRY_AFTER_SECONDS });
}

async function within<T>(ms: number, run: () => Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(new Error('no response in time')), ms);
  });
  return Promise.race([run(), timeout]).finally(() => clearTimeout(timer));
}

function withoutCredentials(url: string): string {
  const { protocol, host, pathname } = new URL(url);
  return `${protocol}//${host}${pathname === '/' ? '' : pathname}`;
}
