import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

interface Turn {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
}

/**
 * Hands the requests of each connection to the app one after the other. What a caller sends ahead of its answers waits:
 * worked off at once, the answers would pile up in memory behind the first that is not taken.
 *
 * A response that never had its turn hears nothing when its connection breaks, so all of a connection is forgotten then.
 */
export class Turns {
  private readonly lines = new Map<Socket, Turn[]>();

  constructor(private readonly app: RequestListener) {}

  readonly take: RequestListener = (request, response) => {
    const { socket } = request;
    let line = this.lines.get(socket);
    if (line === undefined) {
      line = [];
      this.lines.set(socket, line);
      socket.once('close', () => this.lines.delete(socket));
    }
    line.push({ request, response });
    if (line.length === 1) this.begin(socket, line);
  };

  /** The answers that the app works on. */
  *running(): Iterable<ServerResponse> {
    for (const [turn] of this.lines.values()) if (turn !== undefined) yield turn.response;
  }

  private begin(socket: Socket, line: Turn[]): void {
    const [turn] = line;
    if (turn === undefined || !socket.writable) return;
    turn.response.once('close', () => {
      line.shift();
      this.begin(socket, line);
    });
    this.app(turn.request, turn.response);
  }
}
