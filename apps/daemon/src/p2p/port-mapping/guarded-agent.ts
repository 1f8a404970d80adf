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
  constructor(private readonly host: string | undefined) {
    super({ keepAlive: false });
  }

  override createConnection(options: ClientRequestArgs, _onCreated?: unknown): Duplex {
    const { host, port } = options;
    if (this.host === undefined || host !== this.host) throw new Error(`the gateway names another host: ${String(host)}`);
    const socket: Socket = connect({ host, port: Number(port) });
    let bytes = 0;
    socket.on('data', (chunk: Buffer) => {
      bytes += chunk.length;
      if (bytes > LONGEST_ANSWER) socket.destroy(new Error('its answer is too long'));
    });
    socket.setTimeout(SILENCE, () => socket.destroy(new Error('it does not answer')));
    return socket;
  }
}

/**
 * From now on this thread's HTTP reaches `host` alone. The library for gateways calls whatever address they name and reads
 * whatever they send; it takes the thread's agent, so this is where that ends.
 */
export function talkOnlyTo(host: string): void {
  http.globalAgent = new GuardedAgent(host);
  https.globalAgent = new GuardedAgent(undefined) as unknown as https.Agent;
}
