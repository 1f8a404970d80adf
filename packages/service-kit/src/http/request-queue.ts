import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

interface Waiting {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  /** When its head came, `performance.now`. */
  readonly since: number;
}

/**
 * Requests of one connection that may wait behind the one being answered. Each holds up to 32 KB, head and the beginning of
 * the body, that are read before anybody has asked who sends them; nobody honest sends so many ahead.
 */
const MOST_AHEAD = 32;

/**
 * Hands the requests of each connection to the app one after the other. What a caller sends ahead of its answers waits:
 * worked off at once, the answers would pile up in memory behind the first that is not taken.
 *
 * A response whose turn never came hears nothing when its connection breaks, so all of a connection is forgotten then.
 */
export class RequestQueue {
  private readonly queues = new Map<Socket, Waiting[]>();
  /** Requests beyond what a connection may have, which Node refuses itself as soon as those before are answered. */
  private readonly dropped = new Map<Socket, number>();

  constructor(private readonly app: RequestListener) {}

  readonly take: RequestListener = (request, response) => {
    const { socket } = request;
    let queue = this.queues.get(socket);
    if (queue === undefined) {
      queue = [];
      this.queues.set(socket, queue);
      socket.once('close', () => this.queues.delete(socket));
    }
    if (queue.length > MOST_AHEAD) return void socket.destroy();
    queue.push({ request, response, since: performance.now() });
    if (queue.length === 1) this.begin(socket, queue);
  };

  /** Hears of a request that Node refuses for being one too many of its connection. */
  drop(socket: Socket): void {
    const count = this.dropped.get(socket) ?? 0;
    if (count === 0) socket.once('close', () => this.dropped.delete(socket));
    if (count >= MOST_AHEAD) socket.destroy();
    else this.dropped.set(socket, count + 1);
  }

  /** Since when a connection has been busy: a request that has arrived whole counts as one of now. Undefined: it is idle. */
  busySince(socket: Socket): number | undefined {
    const [first] = this.queues.get(socket) ?? [];
    if (first === undefined) return undefined;
    return first.request.complete ? performance.now() : first.since;
  }

  /** Whether any request has come over a connection. */
  knows(socket: Socket): boolean {
    return this.queues.has(socket);
  }

  /** The answers that the app works on. */
  *running(): Iterable<ServerResponse> {
    for (const [first] of this.queues.values()) if (first !== undefined) yield first.response;
  }

  private begin(socket: Socket, queue: Waiting[]): void {
    const [first] = queue;
    if (first === undefined || !socket.writable) return;
    first.response.once('close', () => {
      queue.shift();
      this.begin(socket, queue);
    });
    this.app(first.request, first.response);
  }
}
