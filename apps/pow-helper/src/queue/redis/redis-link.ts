import { errorText, type Logger } from '@wrkz/service-kit';
import { Redis } from 'ioredis';
import { PowRefusal } from '../../refusals';
import { CHANNELS, DEPTH, PREFIX } from './scripts';

/** A command without an answer for so long counts as failed, in milliseconds. */
export const COMMAND_MS = 1_500;
const CONNECT_MS = 2_000;
/** The longest pause between two attempts to connect. */
const RECONNECT_MS = 1_000;
/** What a refused client is told to wait, in seconds. */
const RETRY_AFTER_SECONDS = 2;

export type Channel = keyof typeof CHANNELS;

export interface LinkEvents {
  /** Redis has gone: nobody needs to wait for it. */
  readonly onAway: () => void;
  readonly onMessage: (channel: Channel, id: string) => void;
}

/**
 * The connections of one instance to its Redis. Nothing waits for a Redis that is away: a command fails within two seconds
 * and is never sent again, and as long as signs of life fail, all others are refused at once.
 */
export class RedisLink {
  private readonly commands: Redis;
  private readonly subscriber: Redis;
  private isAway = false;
  /** How often it has gone. What was sent before says nothing about a later state. */
  private losses = 0;
  private isClosed = false;
  /** What the connection last failed of: commands only tell that it is closed. */
  private failure: Error | undefined;

  constructor(
    private readonly url: string,
    private readonly logger: Logger,
    private readonly events: LinkEvents,
  ) {
    this.commands = connection(url);
    this.subscriber = connection(url);
    // Every failure shows in a command or in the end of the connection; an emitter without a listener would throw.
    this.commands.on('error', (error: Error) => (this.failure = error));
    this.subscriber.on('error', () => undefined);
  }

  /**
   * Opens both connections.
   * @throws Error with a message for the operator, which shows neither user nor password
   */
  async open(): Promise<void> {
    try {
      await within(COMMAND_MS + CONNECT_MS, async () => {
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
    this.commands.on('close', () => this.lost('the connection ended'));
  }

  /**
   * Runs a script.
   * @throws PowRefusal `queueAway` when Redis is away or does not carry it out
   */
  async run(script: string, ...args: readonly (number | string)[]): Promise<unknown[]> {
    if (this.isAway) throw away();
    return this.probe(script, ...args);
  }

  /** The same, but tried also while Redis is away; its success shows that Redis is back. */
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

  /** Whether Redis takes a write now. */
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

  /** A ping that writes: one full, read-only or still loading answers a plain one. */
  private async ping(): Promise<void> {
    await this.commands.set(`${PREFIX}ping`, '1', 'PX', 1_000);
  }

  private reached(): void {
    if (!this.isAway || this.isClosed) return;
    this.isAway = false;
    this.logger.info('the queue in Redis is back');
  }

  private lost(reason: string): void {
    if (this.isAway || this.isClosed) return;
    this.isAway = true;
    this.losses++;
    this.logger.warning(`the queue in Redis is away: ${reason}; jobs are refused until it is back`);
    // What it has not answered is not to be answered later, so the connection starts anew.
    if (this.commands.status === 'ready') this.commands.disconnect(true);
    this.events.onAway();
  }
}

function connection(url: string): Redis {
  return new Redis(url, {
    lazyConnect: true,
    connectTimeout: CONNECT_MS,
    commandTimeout: COMMAND_MS,
    enableOfflineQueue: false,
    autoResendUnfulfilledCommands: false,
    maxRetriesPerRequest: 0,
    maxLoadingRetryTime: RECONNECT_MS,
    retryStrategy: (attempt) => Math.min(attempt * 100, RECONNECT_MS),
  });
}

function away(): PowRefusal {
  return new PowRefusal('queueAway', { retryAfterSeconds: RETRY_AFTER_SECONDS });
}

async function within<T>(ms: number, act: () => Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(new Error('it does not answer')), ms);
  });
  return Promise.race([act(), late]).finally(() => clearTimeout(timer));
}

function withoutCredentials(url: string): string {
  const { protocol, host, pathname } = new URL(url);
  return `${protocol}//${host}${pathname === '/' ? '' : pathname}`;
}
