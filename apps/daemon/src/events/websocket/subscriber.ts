import type { WebSocket } from 'ws';
import type { Topic } from '../topics';

/** Max queued messages of a client. */
const MAX_QUEUED = 1000;
/** Messages stay in the queue while the connection buffers this many bytes. */
const MAX_BUFFERED_BYTES = 16 * 1024;
/** Max wait for a client to respond to a close. */
const LINGER_MS = 1_000;

/** Close codes and reasons (docs/operations/notifications.md#websocket). */
export const CLOSES = {
  stopping: [1001, 'node stopping'],
  behind: [1008, 'fell too far behind'],
  full: [1008, 'subscriptions are full, retry later'],
} as const satisfies Readonly<Record<string, readonly [code: number, reason: string]>>;

/** A client of the stream. */
export class Subscriber {
  private messages: Buffer[] = [];
  private closing = false;
  private receivedAt = performance.now();
  /** Resolves when the connection is closed. */
  readonly gone: Promise<void>;

  constructor(
    private readonly webSocket: WebSocket,
    private readonly topics: readonly Topic[],
  ) {
    for (const event of ['ping', 'pong', 'message'] as const)
      webSocket.on(event, () => (this.receivedAt = performance.now()));
    // 'close' follows.
    webSocket.on('error', () => undefined);
    this.gone = new Promise((resolve) => webSocket.once('close', () => resolve()));
  }

  wants(topic: Topic): boolean {
    return this.topics.includes(topic);
  }

  /** Number of queued messages. */
  get behind(): number {
    return this.messages.length;
  }

  /** Queues a message; `flush` sends it. A client with a full queue is closed. @param message UTF-8 */
  queue(message: Buffer): void {
    if (this.closing) return;
    if (this.messages.length < MAX_QUEUED) this.messages.push(message);
    else this.close('behind');
  }

  /** Sends queued messages until the connection's buffer is full, and continues when it has been written. */
  flush(): void {
    const { webSocket, messages } = this;
    let sent = 0;
    while (sent < messages.length && webSocket.bufferedAmount < MAX_BUFFERED_BYTES) {
      webSocket.send(messages[sent++] as Buffer, { binary: false }, (error) => error ?? this.flush());
    }
    if (sent > 0) this.messages = messages.slice(sent);
  }

  ping(): void {
    if (!this.closing) this.webSocket.ping();
  }

  /** Milliseconds since the client last sent something. */
  get silenceMs(): number {
    return performance.now() - this.receivedAt;
  }

  /** Discards queued messages and closes with a reason; a client that does not respond is disconnected. */
  close(why: keyof typeof CLOSES): void {
    if (this.closing) return;
    this.closing = true;
    this.messages = [];
    const { webSocket } = this;
    const [code, reason] = CLOSES[why];
    webSocket.close(code, reason);
    const cut = setTimeout(() => webSocket.terminate(), LINGER_MS);
    void this.gone.then(() => clearTimeout(cut));
  }

  terminate(): void {
    this.webSocket.terminate();
  }
}
