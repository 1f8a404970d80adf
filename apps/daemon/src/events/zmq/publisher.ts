import { errorText, listenErrorText, type Logger } from '@wrkz/service-kit';
import type * as Zeromq from 'zeromq';
import type { TopicMessage, TopicStream } from '../topics';
import type { ZmqEndpoint } from './endpoint';
import { bindPrivately } from './socket-file';

/** Messages that wait for one subscriber; further ones are lost to it. */
const HIGH_WATER_MARK = 1000;
/** Messages that wait for the socket itself, which takes them as fast as they can be handed over. */
const MOST_WAITING = 10_000;

/** A PUB socket for the messages of all topics: two frames each, topic and body. Subscriptions match by prefix. */
export class ZmqPublisher {
  private readonly waiting: TopicMessage[] = [];
  private sending = false;
  private closed = false;
  private lost = 0;
  private removeFile: () => void = () => undefined;
  private unsubscribe: () => void = () => undefined;

  private constructor(
    private readonly socket: Zeromq.Publisher,
    private readonly logger: Logger,
  ) {}

  /** Binds and publishes. What cannot be had is a warning, and the node goes on without: then it answers undefined. */
  static async start(
    endpoint: ZmqEndpoint,
    topics: Pick<TopicStream, 'subscribe'>,
    logger: Logger,
  ): Promise<ZmqPublisher | undefined> {
    let socket: Zeromq.Publisher | undefined;
    try {
      const { Publisher } = loadZeromq();
      socket = new Publisher({ sendHighWaterMark: HIGH_WATER_MARK, linger: 0 });
      const publisher = new ZmqPublisher(socket, logger);
      await publisher.bind(endpoint);
      publisher.unsubscribe = topics.subscribe({ isWanted: () => true, publish: (message) => publisher.take(message) });
      return publisher;
    } catch (error) {
      socket?.close();
      logger.warning(`no events are published over ZMQ at ${endpoint.text}: ${listenErrorText(error, 'zmq-pub')}`);
      return undefined;
    }
  }

  /** Where it listens, with the port it got. */
  get endpoint(): string {
    return this.socket.lastEndpoint ?? '';
  }

  close(): void {
    this.closed = true;
    this.unsubscribe();
    this.waiting.length = 0;
    this.removeFile();
    this.socket.close();
  }

  private async bind(endpoint: ZmqEndpoint): Promise<void> {
    if (endpoint.kind === 'ipc') {
      this.removeFile = await bindPrivately(endpoint.path, (path) => this.socket.bind(`ipc://${path}`));
      return;
    }
    await this.socket.bind(endpoint.text);
    if (!endpoint.loopback)
      this.logger.warning(
        `ZMQ at ${endpoint.text} can be reached from outside this machine, and asks nobody for a key`,
      );
  }

  private take(message: TopicMessage): void {
    if (this.waiting.length >= MOST_WAITING) {
      this.lost += 1;
      if (this.lost % MOST_WAITING === 1) this.logger.warning(`ZMQ messages lost so far: ${String(this.lost)}`);
      return;
    }
    this.waiting.push(message);
    if (!this.sending) void this.send();
  }

  /** One after the other: the socket takes no second message before the first is handed over. */
  private async send(): Promise<void> {
    this.sending = true;
    try {
      for (let at = 0; at < this.waiting.length && !this.closed; at++) {
        const { topic, body } = this.waiting[at] as TopicMessage;
        await this.socket.send([topic, body]);
        if (at === 999) {
          this.waiting.splice(0, 1000);
          at = -1;
        }
      }
    } catch (error) {
      if (!this.closed) this.logger.warning(`a ZMQ message was lost: ${errorText(error)}`);
    } finally {
      this.waiting.length = 0;
      this.sending = false;
    }
  }
}

/** Loaded when the publisher is switched on, and not before: it is a native library with threads of its own. */
function loadZeromq(): typeof Zeromq {
  // eslint-disable-next-line @typescript-eslint/no-require-imports -- an import would load it in any case
  return require('zeromq') as typeof Zeromq;
}
