import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

interface Waiting {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
}

/**
 * Hands the requests of each connection to the app one after the other. What a caller sends ahead of its answers waits:
 * worked off at once, the answers would pile up in memory behind the first that is not taken.
 *
 * A response whose turn never came hears nothing when its connection breaks, so all of a connection is forgotten then.
 */
export class RequestQueue {
  private readonly queues = new Map<Socket, Waiting[]>();

  constructor(private readonly app: RequestListener) {}

  readonly take: RequestListener = (request, response) => {
    const { socket } = request;
    let queue = this.queues.get(socket);
    if (queue === undefined) {
      queue = [];
      this.queues.set(socket, queue);
      socket.once('close', () => this.queues.delete(socket));
    }
    queue.push({ request, response });
    if (queue.length === 1) this.begin(socket, queue);
  };

  /** Whether a request of this connection has arrived whole and waits for its answer. */
  isAnswering(socket: Socket): boolean {
    return this.queues.get(socket)?.some(({ request }) => request.complete) ?? false;
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
