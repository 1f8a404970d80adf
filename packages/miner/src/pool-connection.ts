import { connect, type Socket } from 'node:net';
import { stratumApi } from '@wrkz/api';

const MAX_LINE_BYTES = 64 * 1024;
/** Timeout of the connection and of each response. */
const TIMEOUT_MS = 20_000;

/** Address of a stratum server. */
export interface PoolEndpoint {
  readonly host: string;
  readonly port: number;
}

/** @param text host:port; a prefix `stratum+tcp://` is ignored @throws RangeError for anything else */
export function poolEndpoint(text: string): PoolEndpoint {
  const bare = text.trim().replace(/^(stratum\+)?tcp:\/\//i, '');
  const url = `tcp://${bare}`;
  const { hostname = '', port = '' } = URL.canParse(url) ? new URL(url) : {};
  if (hostname === '' || port === '' || port === '0' || !/^[^/?#@]+$/.test(bare)) {
    throw new RangeError(`${JSON.stringify(text)} is not host:port`);
  }
  return { host: hostname.replace(/^\[|\]$/g, ''), port: Number(port) };
}

interface PendingRequest {
  readonly resolve: (line: stratumApi.StratumServerLine) => void;
  readonly reject: (error: Error) => void;
}

/** A connection to a stratum server: JSON-RPC requests and notifications, one per line. */
export class PoolConnection {
  /** Resolves with the reason when the connection is closed. */
  readonly ended: Promise<string>;
  private readonly socket: Socket;
  private readonly pending = new Map<number, PendingRequest>();
  private text = '';
  private lastId = 0;
  private reason = 'the server closed the connection';

  constructor(
    endpoint: PoolEndpoint,
    private readonly onNotification: (method: string, params: unknown) => void,
    signal: AbortSignal,
  ) {
    const socket = connect({ ...endpoint, noDelay: true, keepAlive: true, keepAliveInitialDelay: 60_000 });
    const timeout = setTimeout(() => this.end('no connection in time'), TIMEOUT_MS);
    const abort = (): void => this.end('stopped');
    socket.setEncoding('utf8');
    socket.once('connect', () => clearTimeout(timeout));
    socket.on('data', (text: string) => this.read(text));
    socket.on('error', (error) => (this.reason = error.message));
    signal.addEventListener('abort', abort, { once: true });
    this.socket = socket;
    this.ended = new Promise((resolve) =>
      socket.once('close', () => {
        clearTimeout(timeout);
        signal.removeEventListener('abort', abort);
        for (const { reject } of this.pending.values()) reject(new Error(this.reason));
        this.pending.clear();
        resolve(this.reason);
      }),
    );
    if (signal.aborted) abort();
  }

  end(reason: string): void {
    this.reason = reason;
    this.socket.destroy();
  }

  /** @returns the response @throws Error if the connection closes first; a timeout closes it */
  request(method: string, params: object): Promise<stratumApi.StratumServerLine> {
    const id = ++this.lastId;
    return new Promise((resolve, reject) => {
      if (this.socket.destroyed) return reject(new Error(this.reason));
      const timeout = setTimeout(() => this.end(`no response to ${method}`), TIMEOUT_MS);
      const settled = <T>(settle: (value: T) => void) => {
        return (value: T): void => {
          clearTimeout(timeout);
          settle(value);
        };
      };
      this.pending.set(id, { resolve: settled(resolve), reject: settled(reject) });
      this.socket.write(`${JSON.stringify({ id, jsonrpc: '2.0', method, params })}\n`);
    });
  }

  private read(text: string): void {
    this.text += text;
    const lines = this.text.split('\n');
    this.text = lines.pop() ?? '';
    if (this.text.length > MAX_LINE_BYTES) return this.end('the server sent a line that is too long');
    try {
      for (const line of lines) if (line.trim() !== '') this.take(line);
    } catch {
      this.end('the server sent an invalid message');
    }
  }

  private take(line: string): void {
    const message = stratumApi.stratumServerLine.parse(JSON.parse(line));
    if (message.method !== undefined) return this.onNotification(message.method, message.params);
    const id = Number(message.id);
    const request = this.pending.get(id);
    this.pending.delete(id);
    request?.resolve(message);
  }
}
