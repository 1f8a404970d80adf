import type { IncomingMessage } from 'node:http';
import {
  clientAddressOf,
  countedAddress,
  isLoopback,
  refusal,
  type UpgradeGuard,
  type UpgradeListener,
} from '@wrkz/service-kit';
import { type WebSocket, WebSocketServer } from 'ws';
import type { Topic, TopicMessage, TopicStream } from '../topics';
import { Subscriber } from './subscriber';
import { topicsOf } from './topic-query';

export const WEBSOCKET_PATH = '/ws';

/** The largest message a client may send. It has nothing to say, and nothing of it is used. */
const MAX_MESSAGE = 4096;
const HEARTBEAT_MS = 30_000;
const SILENCE_MS = 90_000;

export interface WebSocketHubOptions {
  /** Clients at once. */
  readonly maxClients: number;
  /** And from one address (IPv6: from one /64), loopback exempt; 0 for no cap. */
  readonly maxClientsPerAddress: number;
  readonly topics: Pick<TopicStream, 'subscribe'>;
  readonly tip: () => { readonly height: number; readonly hash: Buffer };
  readonly heartbeatMs?: number;
  readonly silenceMs?: number;
}

interface Admitted {
  readonly address: string;
  readonly topics: readonly Topic[];
}

/**
 * Path and query as they stand, which is how routes are matched: `//host/ws` and `/./ws` are other paths, and a target that
 * is no URL is one that is not there.
 */
function targetOf({ url = '' }: IncomingMessage): { path: string | undefined; query: string | undefined } {
  const [, path, query] = /^(?:https?:\/\/[^/?#]*)?(\/[^?#]*)(?:\?([^#]*))?/i.exec(url) ?? [];
  return { path, query };
}

/** The text of a message: the topic, and its body as published, byte for byte. */
function topicMessage(topic: string, body: string): Buffer {
  return Buffer.from(`{"topic":"${topic}","data":${body}}`, 'utf8');
}

/** GET /ws: the messages of all topics to everyone who follows (docs/operations/notifications.md#websocket). Nothing is replayed. */
export class WebSocketHub {
  private readonly clients = new Map<Subscriber, string>();
  private readonly unsubscribe: () => void;
  private readonly beat: NodeJS.Timeout;
  private flushing = false;
  private closed = false;

  constructor(private readonly options: WebSocketHubOptions) {
    this.unsubscribe = options.topics.subscribe({
      isWanted: () => this.clients.size > 0,
      publish: (message) => this.publish(message),
    });
    this.beat = setInterval(() => this.heartbeat(), options.heartbeatMs ?? HEARTBEAT_MS);
  }

  get size(): number {
    return this.clients.size;
  }

  /** Messages that wait for the client that is furthest behind. */
  get behind(): number {
    return Math.max(0, ...[...this.clients.keys()].map(({ behind }) => behind));
  }

  /** Takes over upgrades of a server, asked by the guards of its routes first. */
  listener(guard: UpgradeGuard): UpgradeListener {
    const server = new WebSocketServer({ noServer: true, clientTracking: false, maxPayload: MAX_MESSAGE });
    server.on('wsClientError', ({ message }, socket, request) =>
      guard.refuse(request, socket, refusal('bad_request', { message })),
    );
    return (request, socket, head) => {
      socket.on('error', () => undefined);
      this.admit(request, guard).then(
        ({ address, topics }) => {
          server.handleUpgrade(request, socket, head, (webSocket: WebSocket) => {
            this.take(new Subscriber(webSocket, topics), address, topics);
          });
        },
        (error: unknown) => guard.refuse(request, socket, error),
      );
    };
  }

  /** Says goodbye to everyone. */
  async close(): Promise<void> {
    this.closed = true;
    clearInterval(this.beat);
    this.unsubscribe();
    const clients = [...this.clients.keys()];
    for (const client of clients) client.close('stopping');
    await Promise.all(clients.map(({ gone }) => gone));
  }

  /** @throws HttpError the refusal, before anything is upgraded */
  private async admit(request: IncomingMessage, guard: UpgradeGuard): Promise<Admitted> {
    const { path, query } = targetOf(request);
    if (path !== WEBSOCKET_PATH) throw refusal('not_found');
    await guard.admit(request);
    const topics = topicsOf(new URLSearchParams(query).get('topics'));
    const address = clientAddressOf(request);
    const reached = this.capReached(address);
    if (reached !== undefined) throw refusal(reached);
    return { address, topics };
  }

  /** Which cap has been reached, as the refusal that tells of it. */
  private capReached(address: string): 'unavailable' | 'rate_limited' | undefined {
    const { maxClients, maxClientsPerAddress } = this.options;
    if (this.closed || this.clients.size >= maxClients) return 'unavailable';
    if (maxClientsPerAddress === 0 || isLoopback(address)) return undefined;
    const counted = countedAddress(address);
    const held = [...this.clients.values()].filter((other) => other === counted).length;
    return held >= maxClientsPerAddress ? 'rate_limited' : undefined;
  }

  private take(client: Subscriber, address: string, topics: readonly Topic[]): void {
    if (this.capReached(address) !== undefined) {
      // Somebody else has taken the last place between the check and the upgrade.
      client.close(this.closed ? 'stopping' : 'full');
      return;
    }
    this.clients.set(client, isLoopback(address) ? address : countedAddress(address));
    void client.gone.then(() => this.clients.delete(client));
    const { height, hash } = this.options.tip();
    client.take(topicMessage('hello', JSON.stringify({ height, hash: hash.toString('hex'), topics })));
    client.flush();
  }

  private publish({ topic, body }: TopicMessage): void {
    const message = topicMessage(topic, body);
    for (const client of this.clients.keys()) if (client.wants(topic)) client.take(message);
    this.flushSoon();
  }

  /** What one turn of the event loop brings goes out together. */
  private flushSoon(): void {
    if (this.flushing) return;
    this.flushing = true;
    setImmediate(() => {
      this.flushing = false;
      for (const client of this.clients.keys()) client.flush();
    });
  }

  /** The message is for browsers, whose scripts never see a ping. */
  private heartbeat(): void {
    const message = topicMessage('heartbeat', '{}');
    for (const client of this.clients.keys()) {
      if (client.silence > (this.options.silenceMs ?? SILENCE_MS)) client.end();
      client.ping();
      client.take(message);
    }
    this.flushSoon();
  }
}
