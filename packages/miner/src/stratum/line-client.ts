import { connect, type Socket } from 'node:net';
import { stratumApi } from '@wrkz/api';
import type { PoolEndpoint } from './endpoint';

/** Bytes of a line from the server. */
const MAX_LINE = 64 * 1024;
/** How long connecting and each answer may take, in milliseconds. */
const PATIENCE = 20_000;

interface Waiting {
  readonly resolve: (line: stratumApi.StratumServerLine) => void;
  readonly reject: (error: Error) => void;
}

/** One connection to a stratum server: requests with their answers, and what the server says by itself. */
export class LineClient {
  /** Resolves with the reason when it has ended. */
  readonly ended: Promise<string>;
  private readonly socket: Socket;
  private readonly waiting = new Map<number, Waiting>();
  private text = '';
  private ids = 0;
  private reason = 'the server has closed the connection';

  constructor(
    endpoint: PoolEndpoint,
    private readonly onNotification: (method: string, params: unknown) => void,
    signal: AbortSignal,
  ) {
    const socket = connect({ ...endpoint, noDelay: true, keepAlive: true, keepAliveInitialDelay: 60_000 });
    const late = setTimeout(() => this.end('nobody has answered in time'), PATIENCE);
    const leave = (): void => this.end('stopped');
    socket.setEncoding('utf8');
    socket.once('connect', () => clearTimeout(late));
    socket.on('data', (text: string) => this.read(text));
    socket.on('error', (error) => (this.reason = error.message));
    signal.addEventListener('abort', leave, { once: true });
    this.socket = socket;
    this.ended = new Promise((resolve) =>
      socket.once('close', () => {
        clearTimeout(late);
        signal.removeEventListener('abort', leave);
        for (const { reject } of this.waiting.values()) reject(new Error(this.reason));
        this.waiting.clear();
        resolve(this.reason);
      }),
    );
    if (signal.aborted) leave();
  }

  end(reason: string): void {
    this.reason = reason;
    this.socket.destroy();
  }

  /** The answer. @throws Error when the connection ends first, or the server takes too long, which ends it */
  ask(method: string, params: object): Promise<stratumApi.StratumServerLine> {
    const id = ++this.ids;
    return new Promise((resolve, reject) => {
      if (this.socket.destroyed) return reject(new Error(this.reason));
      const late = setTimeout(() => this.end(`no answer to ${method}`), PATIENCE);
      const settled = <T>(settle: (value: T) => void) => {
        return (value: T): void => {
          clearTimeout(late);
          settle(value);
        };
      };
      this.waiting.set(id, { resolve: settled(resolve), reject: settled(reject) });
      this.socket.write(`${JSON.stringify({ id, jsonrpc: '2.0', method, params })}\n`);
    });
  }

  private read(text: string): void {
    this.text += text;
    const lines = this.text.split('\n');
    this.text = lines.pop() ?? '';
    if (this.text.length > MAX_LINE) return this.end('the server sent a line without an end');
    try {
      for (const line of lines) if (line.trim() !== '') this.take(line);
    } catch {
      this.end('the server sent something that is no message');
    }
  }

  private take(line: string): void {
    const message = stratumApi.stratumServerLine.parse(JSON.parse(line));
    if (message.method !== undefined) return this.onNotification(message.method, message.params);
    const id = Number(message.id);
    const waiting = this.waiting.get(id);
    this.waiting.delete(id);
    waiting?.resolve(message);
  }
}
