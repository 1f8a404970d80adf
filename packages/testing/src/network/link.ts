import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';
import { ByteBudget, encodeFrame, type Frame, FrameParser } from '@wrkz/levin';

/** What a link does with a frame: forward it, lose it, or hold it until `release`. */
export type FrameFate = 'pass' | 'lose' | 'hold';

/**
 * A connection between two nodes that a test can cut, restore and disturb: a loopback port that forwards Levin frames to another
 * one. While it is cut, open and new connections are closed.
 */
export class Link {
  /** Decides about each frame; `toTarget`: sent by the connecting node. */
  fate: (frame: Frame, toTarget: boolean) => FrameFate = () => 'pass';
  private readonly sockets = new Set<Socket>();
  private held: { readonly socket: Socket; readonly frame: Frame }[] = [];
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

  /** Forwards the frames that were held. */
  release(): void {
    for (const { socket, frame } of this.held.splice(0)) socket.write(encodeFrame(frame));
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
      this.forward(socket, other, socket === near);
    }
  }

  private forward(from: Socket, to: Socket, toTarget: boolean): void {
    const parser = new FrameParser({
      limitOf: () => 100_000_000,
      budget: new ByteBudget(1_000_000_000),
      onFrame: (frame) => {
        const fate = this.fate(frame, toTarget);
        if (fate === 'pass') to.write(encodeFrame(frame));
        else if (fate === 'hold') this.held.push({ socket: to, frame });
      },
    });
    from.on('data', (bytes: Buffer) => parser.push(bytes));
  }
}
