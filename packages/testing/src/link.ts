import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';

/**
 * A wire between two nodes that a test can cut and join: a loopback port that passes everything on to another one.
 * While it is cut, open connections are gone and new ones are closed at once.
 */
export class Link {
  private readonly sockets = new Set<Socket>();
  private joined = true;

  private constructor(
    private readonly server: Server,
    private readonly target: number,
  ) {
    server.on('connection', (socket) => this.accept(socket));
  }

  /** @param target the loopback port at the other end */
  static async to(target: number): Promise<Link> {
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    return new Link(server, target);
  }

  get port(): number {
    return (this.server.address() as AddressInfo).port;
  }

  cut(): void {
    this.joined = false;
    for (const socket of this.sockets) socket.destroy();
  }

  join(): void {
    this.joined = true;
  }

  async close(): Promise<void> {
    this.cut();
    this.server.close();
    await once(this.server, 'close');
  }

  private accept(near: Socket): void {
    if (!this.joined) {
      near.destroy();
      return;
    }
    const far = connect(this.target, '127.0.0.1');
    for (const [socket, other] of [
      [near, far],
      [far, near],
    ] as const) {
      this.sockets.add(socket);
      socket.on('error', () => undefined); // 'close' follows and ends it
      socket.on('close', () => {
        this.sockets.delete(socket);
        other.destroy();
      });
      socket.pipe(other);
    }
  }
}
