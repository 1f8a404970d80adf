import { chmodSync, mkdtempSync, renameSync, rmdirSync, rmSync, statSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import type { Network } from '@wrkz/core-types';
import { errorText, isLoopback, listenErrorText, type Logger, removeDeadSocket } from '@wrkz/service-kit';
import type * as Zeromq from 'zeromq';
import type { TopicMessage, TopicStream } from './topics';

/** Max messages that ZeroMQ queues for a subscriber; it drops further ones. */
const HIGH_WATER_MARK = 1000;
/** Max size of a message of a subscriber, which ZeroMQ would otherwise store at any size. */
const MAX_SUBSCRIPTION_BYTES = 4096;
/** Max messages that wait for the socket. */
const MAX_QUEUED = 10_000;

export type ZmqEndpoint =
  | { readonly kind: 'tcp'; readonly text: string; readonly loopback: boolean }
  | { readonly kind: 'ipc'; readonly text: string; readonly path: string };

/** The endpoint without `--zmq-pub`. */
export function defaultZmqEndpoint({ ports }: Pick<Network, 'ports'>): string {
  return `tcp://127.0.0.1:${String(ports.zmq)}`;
}

/** Parses `tcp://host:port` (`*` for all addresses or a free port) and `ipc://path`; undefined for any other text. */
function parseZmqEndpoint(text: string): ZmqEndpoint | undefined {
  const tcp = /^tcp:\/\/(\[[^\]]+\]|[^:[\]/]+):(\d{1,5}|\*)$/.exec(text);
  if (tcp !== null) {
    const [, host = '', port = ''] = tcp;
    if (port !== '*' && Number(port) > 65_535) return undefined;
    return { kind: 'tcp', text, loopback: isLoopback(host.replace(/^\[|\]$/g, '')) };
  }
  const ipc = /^ipc:\/\/([^@].*)$/.exec(text);
  return ipc === null ? undefined : { kind: 'ipc', text, path: ipc[1] ?? '' };
}

/** The error text of an invalid endpoint option; undefined if it is valid. An empty one disables ZMQ. */
export function checkEndpoint(text: string): string | undefined {
  if (text === '' || parseZmqEndpoint(text) !== undefined) return undefined;
  return 'tcp://address:port or ipc://path is expected, or nothing';
}

interface ZmqOptions {
  readonly options: { readonly 'zmq-pub': string | undefined; readonly 'no-zmq': boolean };
  readonly network: Pick<Network, 'ports'>;
}

/** Starts the publisher; undefined if the options disable it or it cannot start. */
export async function startZmq(
  { options, network }: ZmqOptions,
  topics: TopicStream,
  logger: Logger,
): Promise<ZmqPublisher | undefined> {
  const endpoint = parseZmqEndpoint(options['zmq-pub'] ?? defaultZmqEndpoint(network));
  return options['no-zmq'] || endpoint === undefined ? undefined : ZmqPublisher.start(endpoint, topics, logger);
}

/** A PUB socket for the messages of all topics. A message has two frames, topic and body. Subscriptions match by prefix. */
export class ZmqPublisher {
  private readonly queue: TopicMessage[] = [];
  private sending = false;
  private closed = false;
  private lost = 0;
  private removeFile: () => void = () => undefined;
  private unsubscribe: () => void = () => undefined;

  private constructor(
    private readonly socket: Zeromq.Publisher,
    private readonly logger: Logger,
  ) {}

  /** Binds and publishes. Failures are logged and the result is undefined: the node runs without ZMQ. */
  static async start(endpoint: ZmqEndpoint, topics: TopicStream, logger: Logger): Promise<ZmqPublisher | undefined> {
    let socket: Zeromq.Publisher | undefined;
    try {
      const { Publisher } = loadZeromq();
      socket = new Publisher({ sendHighWaterMark: HIGH_WATER_MARK, maxMessageSize: MAX_SUBSCRIPTION_BYTES, linger: 0 });
      const publisher = new ZmqPublisher(socket, logger);
      await publisher.bind(endpoint);
      publisher.unsubscribe = topics((message) => publisher.add(message));
      return publisher;
    } catch (error) {
      socket?.close();
      logger.warning(`no events are published over ZMQ at ${endpoint.text}: ${listenErrorText(error, 'zmq-pub')}`);
      return undefined;
    }
  }

  close(): void {
    this.closed = true;
    this.unsubscribe();
    this.queue.length = 0;
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
      this.logger.warning(`ZMQ at ${endpoint.text} can be reached from outside this machine, without authentication`);
  }

  private add(message: TopicMessage): void {
    if (this.queue.length >= MAX_QUEUED) {
      this.lost += 1;
      if (this.lost % MAX_QUEUED === 1) this.logger.warning(`ZMQ messages lost so far: ${String(this.lost)}`);
      return;
    }
    this.queue.push(message);
    if (!this.sending) void this.send();
  }

  /** Sends the queue in order: the socket accepts a message only after the previous one. */
  private async send(): Promise<void> {
    this.sending = true;
    for (let message = this.queue.shift(); message !== undefined; message = this.queue.shift()) {
      try {
        await this.socket.send([message.topic, message.body]);
      } catch (error) {
        if (!this.closed) this.logger.warning(`a ZMQ message was lost: ${errorText(error)}`);
      }
    }
    this.sending = false;
  }
}

/** Loads zeromq on first use: it is a native library that starts threads. */
function loadZeromq(): typeof Zeromq {
  // eslint-disable-next-line @typescript-eslint/no-require-imports -- an import would load it in any case
  return require('zeromq') as typeof Zeromq;
}

/** The system truncates longer socket paths silently. */
const MAX_PATH_BYTES = 107;

/**
 * Creates a socket file that only its owner can ever connect to: it is bound in a new folder with mode 0700, gets mode 0600, and
 * is then moved to its path. An existing file is replaced only if it is a socket without a listener.
 * @param bind creates the socket at the given path
 * @returns removes the file
 * @throws Error with a message for the operator
 */
async function bindPrivately(option: string, bind: (path: string) => Promise<void>): Promise<() => void> {
  const path = resolve(option);
  await removeDeadSocket(path);
  const folder = mkdtempSync(join(dirname(path), '.z'));
  const temporary = join(folder, 's');
  try {
    if (Math.max(Buffer.byteLength(path), Buffer.byteLength(temporary)) > MAX_PATH_BYTES)
      throw new Error(`the path of a socket has at most ${String(MAX_PATH_BYTES)} bytes`);
    await bind(temporary);
    chmodSync(temporary, 0o600);
    renameSync(temporary, path);
  } finally {
    rmSync(temporary, { force: true });
    rmdirSync(folder);
  }
  const { ino } = statSync(path);
  return () => {
    if (statSync(path, { throwIfNoEntry: false })?.ino === ino) rmSync(path, { force: true });
  };
}
