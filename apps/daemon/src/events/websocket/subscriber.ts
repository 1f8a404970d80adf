import type { Duplex } from 'node:stream';
import type { WebSocket } from 'ws';
import type { Topic } from '../topics';

/** Messages that may wait for one client. */
const MOST_BEHIND = 1000;
/** Milliseconds that a client has to answer a close. */
const LINGER = 1_000;

/** How a stream is ended (docs/operations/notifications.md#websocket). */
export const CLOSES = {
  stopping: [1001, 'node stopping'],
  behind: [1008, 'fell too far behind'],
  full: [1008, 'subscriptions are full, retry later'],
} as const satisfies Readonly<Record<string, readonly [code: number, reason: string]>>;

export interface SubscriberParts {
  readonly webSocket: WebSocket;
  /** The connection under it. Frames that all clients get alike are written there as they are. */
  readonly connection: Duplex;
  readonly topics: readonly Topic[];
}

/** One client of the stream. */
export class Subscriber {
  private waiting: Buffer[] = [];
  private closing = false;
  private heardAt = performance.now();
  /** Resolves when the connection is over. */
  readonly gone: Promise<void>;

  constructor(private readonly parts: SubscriberParts) {
    const { webSocket, connection } = parts;
    for (const sign of ['ping', 'pong', 'message'] as const) webSocket.on(sign, () => this.hear());
    webSocket.on('error', () => undefined); // its close follows
    this.gone = new Promise((resolve) => webSocket.once('close', () => resolve()));
    connection.on('drain', () => this.flush());
  }

  wants(topic: Topic): boolean {
    return this.parts.topics.includes(topic);
  }

  /** Messages that wait for it. */
  get behind(): number {
    return this.waiting.length;
  }

  /** Puts a frame at the end of what waits; `flush` sends it. A client that is too far behind is closed. */
  take(frame: Buffer): void {
    if (this.closing) return;
    if (this.waiting.length < MOST_BEHIND) this.waiting.push(frame);
    else this.close('behind');
  }

  flush(): void {
    const { connection } = this.parts;
    if (this.closing || this.waiting.length === 0 || connection.writableNeedDrain || connection.destroyed) return;
    let sent = 0;
    connection.cork();
    while (sent < this.waiting.length && !connection.writableNeedDrain) connection.write(this.waiting[sent++]);
    connection.uncork();
    this.waiting = this.waiting.slice(sent);
  }

  ping(): void {
    if (!this.closing) this.parts.webSocket.ping();
  }

  /** Milliseconds since the client last sent anything. */
  get silence(): number {
    return performance.now() - this.heardAt;
  }

  /** What waits is discarded; the connection ends with a reason, and at once when the client does not answer. */
  close(why: keyof typeof CLOSES): void {
    if (this.closing) return;
    this.closing = true;
    this.waiting = [];
    const { webSocket } = this.parts;
    const [code, reason] = CLOSES[why];
    webSocket.close(code, reason);
    const cut = setTimeout(() => webSocket.terminate(), LINGER);
    void this.gone.then(() => clearTimeout(cut));
  }

  end(): void {
    this.parts.webSocket.terminate();
  }

  private hear(): void {
    this.heardAt = performance.now();
  }
}
