import { once } from 'node:events';
import { connect, type Socket } from 'node:net';

/** Bytes of a whole request, head and body. */
export function requestBytes(method: 'GET' | 'POST', path: string, body?: unknown): Buffer {
  const text = body === undefined ? '' : JSON.stringify(body);
  const length = body === undefined ? '' : `Content-Length: ${String(Buffer.byteLength(text))}\r\n`;
  return Buffer.from(`${method} ${path} HTTP/1.1\r\nHost: 127.0.0.1\r\n${length}\r\n${text}`);
}

const END_OF_HEAD = Buffer.from('\r\n\r\n');

/**
 * An HTTP client with one kept-alive connection and one request at a time. It parses only status and length: a client of
 * `node:http` takes as much time as the measured service, and would hide half of every difference.
 */
export class KeepAliveClient {
  private socket: Socket | undefined;
  private arrived: Buffer = Buffer.alloc(0);
  private done: ((error?: Error) => void) | undefined;

  /** The status of the last response. */
  status = 0;

  /** @param anyStatus whether responses may have another status than 200 */
  constructor(
    private readonly port: number,
    private readonly anyStatus = false,
  ) {}

  /** Resolves when the whole response has arrived. @throws Error for another status than 200, unless `anyStatus` */
  async ask(request: Buffer): Promise<void> {
    const socket = (this.socket ??= await this.open());
    await new Promise<void>((resolve, reject) => {
      this.done = (error) => (error === undefined ? resolve() : reject(error));
      socket.write(request);
    });
  }

  close(): void {
    this.socket?.destroy();
    this.socket = undefined;
  }

  private async open(): Promise<Socket> {
    const socket = connect({ host: '127.0.0.1', port: this.port, noDelay: true });
    await once(socket, 'connect');
    socket.on('data', (chunk) => this.take(chunk));
    socket.on('error', (error) => this.finish(error));
    socket.on('close', () => this.finish(new Error('the connection was closed before the response was complete')));
    return socket;
  }

  private take(chunk: Buffer): void {
    this.arrived = this.arrived.length === 0 ? chunk : Buffer.concat([this.arrived, chunk]);
    const end = this.arrived.indexOf(END_OF_HEAD);
    if (end < 0) return;
    const head = this.arrived.toString('latin1', 0, end).toLowerCase();
    const length = Number(/content-length: (\d+)/.exec(head)?.[1] ?? 0);
    if (this.arrived.length < end + END_OF_HEAD.length + length) return;
    this.arrived = Buffer.alloc(0);
    // The service closes a connection after a number of requests; the next request opens a new one.
    if (head.includes('connection: close')) this.close();
    this.status = Number(head.slice(9, 12));
    this.finish(this.anyStatus || this.status === 200 ? undefined : new Error(head.split('\r\n')[0]));
  }

  private finish(error?: Error): void {
    const { done } = this;
    this.done = undefined;
    done?.(error);
  }
}
