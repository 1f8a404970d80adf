import { EventEmitter, once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface Received {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
}

type Answer = (request: Received, response: ServerResponse) => void;

/** A receiver of webhooks on loopback. Records every request; responds with 204 unless `answer` is replaced. */
export class WebhookReceiver {
  readonly received: Received[] = [];
  private readonly events = new EventEmitter();
  private server: Server | undefined;
  private lastPort = 0;
  respond: Answer = (_request, response) => response.writeHead(204).end();

  get url(): string {
    return `http://127.0.0.1:${String(this.lastPort)}/hook`;
  }

  /** Listens; after a close, on the same port. */
  async open(): Promise<this> {
    const server = createServer((request, response) => {
      const parts: Buffer[] = [];
      request.on('data', (part: Buffer) => parts.push(part));
      request.on('end', () => {
        const { method = '', url = '', headers } = request;
        const one = { method, path: url, headers, body: Buffer.concat(parts).toString() };
        this.received.push(one);
        this.respond(one, response);
        this.events.emit('received');
      });
    });
    server.listen(this.lastPort, '127.0.0.1');
    await once(server, 'listening');
    this.lastPort = (server.address() as AddressInfo).port;
    this.server = server;
    return this;
  }

  /** Closes the listener and all connections immediately, like a kill. */
  async close(): Promise<void> {
    const { server } = this;
    this.server = undefined;
    if (server === undefined) return;
    const closed = once(server, 'close');
    server.close();
    server.closeAllConnections();
    await closed;
  }

  /** Waits for a condition on the received requests. */
  async until(holds: (received: readonly Received[]) => boolean): Promise<void> {
    while (!holds(this.received)) await once(this.events, 'received');
  }
}
