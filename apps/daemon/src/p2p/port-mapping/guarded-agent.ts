import http, { Agent, type ClientRequestArgs } from 'node:http';
import https from 'node:https';
import { connect, type Socket } from 'node:net';
import type { Duplex } from 'node:stream';

/** Bytes of one answer; descriptions and answers of gateways have a few thousand. */
const LONGEST_ANSWER = 256 * 1024;
/** Milliseconds in which a gateway has to say something. */
const SILENCE = 2_000;

/** The connections of a thread that talks to one host: none to another one, and none that brings more than is sensible. */
class GuardedAgent extends Agent {
  /** Why it has ended a connection, which the library forgets. */
  complaint: string | undefined;

  constructor(private readonly host: string | undefined) {
    super({ keepAlive: false });
  }

  override createConnection(options: ClientRequestArgs, _onCreated?: unknown): Duplex {
    const { host, port } = options;
    if (this.host === undefined || host !== this.host) throw this.refuse('it names another host or protocol');
    const socket: Socket = connect({ host, port: Number(port) });
    let bytes = 0;
    socket.on('data', (chunk: Buffer) => {
      bytes += chunk.length;
      if (bytes > LONGEST_ANSWER) socket.destroy(this.refuse('its answer is too long'));
    });
    socket.setTimeout(SILENCE, () => socket.destroy(this.refuse('it does not answer')));
    return socket;
  }

  private refuse(complaint: string): Error {
    this.complaint = complaint;
    return new Error(complaint);
  }
}

/** What was wrong with the connections of a thread. */
export interface Guard {
  complaint(): string | undefined;
}

/**
 * From now on this thread's HTTP reaches `host` alone. The library for gateways calls whatever address they name and reads
 * whatever they send; it takes the thread's agent, so this is where that ends.
 */
export function talkOnlyTo(host: string): Guard {
  const [open, closed] = [new GuardedAgent(host), new GuardedAgent(undefined)];
  http.globalAgent = open;
  https.globalAgent = closed as unknown as https.Agent;
  return { complaint: () => open.complaint ?? closed.complaint };
}
