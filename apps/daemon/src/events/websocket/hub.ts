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
import type { DaemonConfig } from '../../config/config';
import { guarded, route } from '../../rpc/declare';
import type { RpcServerOptions } from '../../rpc/server';
import { type Topic, type TopicMessage, TOPICS, type TopicStream } from '../topics';
import { Subscriber } from './subscriber';

const WEBSOCKET_PATH = '/ws';

/** Max bytes of a message from a client. Messages of clients are ignored. */
const MAX_MESSAGE_BYTES = 4096;
const HEARTBEAT_MS = 30_000;
const SILENCE_MS = 90_000;
const MAX_PREFIXES = 16;

export interface WebSocketService {
  readonly hub: WebSocketHub;
  readonly rpc: Pick<RpcServerOptions, 'upgrade' | 'moreRoutes'>;
}

/** Starts the stream; undefined if the options disable it. */
export function startWebSocket(
  { options }: Pick<DaemonConfig, 'options'>,
  topics: TopicStream,
  tip: () => { readonly height: number; readonly hash: Buffer },
): WebSocketService | undefined {
  if (!options['enable-websocket']) return undefined;
  const limits = { maxClients: options['ws-max-clients'], maxClientsPerAddress: options['ws-max-clients-per-ip'] };
  const hub = new WebSocketHub(limits, { topics, tip });
  return { hub, rpc: { upgrade: (guard) => hub.listener(guard), moreRoutes: [webSocketRoute] } };
}

/** The response to requests without an upgrade. */
export const webSocketRoute = route({
  method: 'GET',
  path: WEBSOCKET_PATH,
  summary:
    'The events as a WebSocket stream; topics=a,b chooses by prefix. This response is for requests without an upgrade.',
  ...guarded('node'),
  response: { contentType: 'application/json', description: 'never: the upgrade responds with 101' },
  errors: [],
  handle: () => {
    throw refusal('upgrade_required', { headers: { 'Sec-WebSocket-Version': '13' } });
  },
});

export interface WebSocketHubOptions {
  readonly maxClients: number;
  /** Max clients of one address (IPv6: of one /64), loopback exempt; 0 for no limit. */
  readonly maxClientsPerAddress: number;
  readonly heartbeatMs?: number;
  readonly silenceMs?: number;
}

export interface WebSocketHubDependencies {
  readonly topics: TopicStream;
  readonly tip: () => { readonly height: number; readonly hash: Buffer };
}

interface Admitted {
  readonly address: string;
  readonly topics: readonly Topic[];
}

/** GET /ws: sends the messages of the topics to each client (docs/operations/notifications.md#websocket). Nothing is replayed. */
export class WebSocketHub {
  private readonly clients = new Map<Subscriber, string>();
  private readonly unsubscribe: () => void;
  private readonly heartbeats: NodeJS.Timeout;
  private flushing = false;
  private closed = false;

  constructor(
    private readonly options: WebSocketHubOptions,
    private readonly dependencies: WebSocketHubDependencies,
  ) {
    this.unsubscribe = dependencies.topics((message) => this.publish(message));
    this.heartbeats = setInterval(() => this.heartbeat(), options.heartbeatMs ?? HEARTBEAT_MS);
  }

  get size(): number {
    return this.clients.size;
  }

  /** Number of queued messages of the slowest client. */
  get behind(): number {
    return Math.max(0, ...[...this.clients.keys()].map(({ behind }) => behind));
  }

  /** The upgrade listener of a server. Applies the guards of the routes first. */
  listener(guard: UpgradeGuard): UpgradeListener {
    const server = new WebSocketServer({ noServer: true, clientTracking: false, maxPayload: MAX_MESSAGE_BYTES });
    server.on('wsClientError', ({ message }, socket, request) =>
      guard.refuse(request, socket, refusal('bad_request', { message })),
    );
    return (request, socket, head) => {
      socket.on('error', () => undefined);
      this.admit(request, guard).then(
        ({ address, topics }) => {
          server.handleUpgrade(request, socket, head, (webSocket: WebSocket) => {
            this.add(new Subscriber(webSocket, topics), address, topics);
          });
        },
        (error: unknown) => guard.refuse(request, socket, error),
      );
    };
  }

  /** Closes all clients. */
  async close(): Promise<void> {
    this.closed = true;
    clearInterval(this.heartbeats);
    this.unsubscribe();
    const clients = [...this.clients.keys()];
    for (const client of clients) client.close('stopping');
    await Promise.all(clients.map(({ gone }) => gone));
  }

  /** @throws HttpError with the refusal, before the upgrade */
  private async admit(request: IncomingMessage, guard: UpgradeGuard): Promise<Admitted> {
    const { path, query } = targetOf(request);
    if (path !== WEBSOCKET_PATH) throw refusal('not_found');
    await guard.admit(request);
    const topics = topicsOf(new URLSearchParams(query).get('topics'));
    const address = clientAddressOf(request);
    const reached = this.limitReached(address);
    if (reached !== undefined) throw refusal(reached);
    return { address, topics };
  }

  private limitReached(address: string): 'unavailable' | 'rate_limited' | undefined {
    const { maxClients, maxClientsPerAddress } = this.options;
    if (this.closed || this.clients.size >= maxClients) return 'unavailable';
    if (maxClientsPerAddress === 0 || isLoopback(address)) return undefined;
    const counted = countedAddress(address);
    const count = [...this.clients.values()].filter((other) => other === counted).length;
    return count >= maxClientsPerAddress ? 'rate_limited' : undefined;
  }

  private add(client: Subscriber, address: string, topics: readonly Topic[]): void {
    // Other clients may have been added between the check and the upgrade.
    if (this.limitReached(address) !== undefined) return client.close(this.closed ? 'stopping' : 'full');
    this.clients.set(client, isLoopback(address) ? address : countedAddress(address));
    void client.gone.then(() => this.clients.delete(client));
    const { height, hash } = this.dependencies.tip();
    client.queue(encode('hello', JSON.stringify({ height, hash: hash.toString('hex'), topics })));
    client.flush();
  }

  private publish({ topic, body }: TopicMessage): void {
    if (this.clients.size === 0) return;
    const message = encode(topic, body);
    for (const client of this.clients.keys()) if (client.wants(topic)) client.queue(message);
    this.flushSoon();
  }

  /** Sends all messages of one event-loop iteration together. */
  private flushSoon(): void {
    if (this.flushing) return;
    this.flushing = true;
    setImmediate(() => {
      this.flushing = false;
      for (const client of this.clients.keys()) client.flush();
    });
  }

  /** Sends pings, and a message for scripts in browsers, which cannot see pings. */
  private heartbeat(): void {
    const message = encode('heartbeat', '{}');
    for (const client of this.clients.keys()) {
      if (client.silenceMs > (this.options.silenceMs ?? SILENCE_MS)) client.terminate();
      client.ping();
      client.queue(message);
    }
    this.flushSoon();
  }
}

/** Path and query without normalisation, as routes are matched: `//host/ws` and `/./ws` are other paths. */
function targetOf({ url = '' }: IncomingMessage): { path: string | undefined; query: string | undefined } {
  const [, path, query] = /^(?:https?:\/\/[^/?#]*)?(\/[^?#]*)(?:\?([^#]*))?/i.exec(url) ?? [];
  return { path, query };
}

/** A message as UTF-8. @param body JSON */
function encode(topic: string, body: string): Buffer {
  return Buffer.from(`{"topic":"${topic}","data":${body}}`, 'utf8');
}

/**
 * Parses `?topics=a,b`, prefixes of topics; all topics without it.
 * @throws HttpError 400 for too many prefixes, and for a prefix without a topic
 */
function topicsOf(query: string | null): readonly Topic[] {
  const prefixes = (query ?? '')
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '');
  if (prefixes.length > MAX_PREFIXES) throw badTopics(`at most ${String(MAX_PREFIXES)} topics`);
  const unknown = prefixes.find((prefix) => !TOPICS.some((topic) => topic.startsWith(prefix)))?.slice(0, 64);
  if (unknown !== undefined) throw badTopics(`no topic starts with '${unknown}'; the topics are ${TOPICS.join(', ')}`);
  if (prefixes.length === 0) return TOPICS;
  return TOPICS.filter((topic) => prefixes.some((prefix) => topic.startsWith(prefix)));
}

function badTopics(message: string): Error {
  return refusal('bad_request', { message });
}
