import { EventEmitter, once } from 'node:events';
import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface Notification {
  readonly event: string;
  readonly hash: string;
  readonly height: number;
  readonly amount: number;
  readonly fee: number;
  readonly paymentId: string;
  readonly confirmed: boolean;
  readonly timestamp: number;
  readonly unlockTime: number;
}

/** A webhook receiver on loopback. It records notifications, and returns 204 unless it hangs. */
export class Receiver {
  readonly received: Notification[] = [];
  readonly bodies: string[] = [];
  hangs = false;
  private readonly events = new EventEmitter();
  private readonly open: ServerResponse[] = [];
  private constructor(private readonly server: Server) {
    server.on('request', (request, response) => {
      const parts: Buffer[] = [];
      request.on('data', (part: Buffer) => parts.push(part));
      request.on('end', () => {
        const body = Buffer.concat(parts).toString();
        this.bodies.push(body);
        this.received.push(JSON.parse(body) as Notification);
        if (this.hangs) this.open.push(response);
        else response.writeHead(204).end();
        this.events.emit('told');
      });
    });
  }

  static async start(): Promise<Receiver> {
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    return new Receiver(server);
  }

  get url(): string {
    return `http://127.0.0.1:${String((this.server.address() as AddressInfo).port)}/`;
  }

  /** Resolves after this many notifications. */
  async until(count: number): Promise<readonly Notification[]> {
    while (this.received.length < count) await once(this.events, 'told');
    return this.received;
  }

  async close(): Promise<void> {
    this.server.close();
    this.server.closeAllConnections();
    await once(this.server, 'close');
  }
}
