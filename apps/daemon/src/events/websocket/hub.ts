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
import { topicFrame } from './frame';
import { CLOSE, Subscriber } from './subscriber';
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
          // The upgrade is made in one step, so that nobody can take the place in between.
          server.handleUpgrade(request, socket, head, (webSocket: WebSocket) => {
            this.take(new Subscriber({ webSocket, connection: socket, topics }), address, topics);
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
    for (const client of clients) client.close(CLOSE.stopping, 'node stopping');
    await Promise.all(clients.map(({ gone }) => gone));
  }

  /** @throws HttpError the refusal, before anything is upgraded */
  private async admit(request: IncomingMessage, guard: UpgradeGuard): Promise<Admitted> {
    const { path, query } = targetOf(request);
    if (path !== WEBSOCKET_PATH) throw refusal('not_found');
    await guard.admit(request);
    const topics = topicsOf(new URLSearchParams(query).get('topics'));
    const address = clientAddressOf(request);
    this.refuseOverCap(address);
    return { address, topics };
  }

  private refuseOverCap(address: string): void {
    const { maxClients, maxClientsPerAddress } = this.options;
    if (this.closed || this.clients.size >= maxClients) throw refusal('unavailable');
    if (maxClientsPerAddress === 0 || isLoopback(address)) return;
    const counted = countedAddress(address);
    const held = [...this.clients.values()].filter((other) => other === counted).length;
    if (held >= maxClientsPerAddress) throw refusal('rate_limited');
  }

  private take(client: Subscriber, address: string, topics: readonly Topic[]): void {
    this.clients.set(client, isLoopback(address) ? address : countedAddress(address));
    void client.gone.then(() => this.clients.delete(client));
    const { height, hash } = this.options.tip();
    client.take(topicFrame('hello', JSON.stringify({ height, hash: hash.toString('hex'), topics })));
    client.flush();
  }

  private publish({ topic, body }: TopicMessage): void {
    const frame = topicFrame(topic, body);
    for (const client of this.clients.keys()) if (client.wants(topic)) client.take(frame);
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
    const frame = topicFrame('heartbeat', '{}');
    for (const client of this.clients.keys()) {
      if (client.silence > (this.options.silenceMs ?? SILENCE_MS)) client.end();
      client.ping();
      client.take(frame);
    }
    this.flushSoon();
  }
}
