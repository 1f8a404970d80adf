import { Agent as HttpAgent } from 'node:http';
import { Agent as HttpsAgent } from 'node:https';
import { connect as connectTcp, isIP, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import type { NodeLocation } from './address';

export interface ConnectOptions {
  readonly connectMs: number;
  /** Trusted certificates in PEM format. They replace the default certificates of Node.js. */
  readonly certificates?: string | undefined;
}

/** Opens a connection, which fails with ETIMEDOUT if it is not established within `connectMs`. */
export function connectTo({ baseUrl, socket }: NodeLocation, options: ConnectOptions): Socket {
  const { connectMs, certificates } = options;
  if (socket !== undefined) return watched(connectTcp({ path: socket }), 'connect', connectMs);
  const { protocol, hostname, port } = new URL(baseUrl);
  const host = hostname.replace(/^\[|\]$/g, '');
  const isTls = protocol === 'https:';
  const place = { host, port: Number(port === '' ? (isTls ? 443 : 80) : port), noDelay: true };
  if (!isTls) return watched(connectTcp(place), 'connect', connectMs);
  const tls = connectTls({
    ...place,
    ...(isIP(host) === 0 ? { servername: host } : {}),
    ...(certificates === undefined ? {} : { ca: certificates }),
  });
  return watched(tls, 'secureConnect', connectMs);
}

function watched(socket: Socket, ready: 'connect' | 'secureConnect', limit: number): Socket {
  const timer = setTimeout(() => {
    socket.destroy(Object.assign(new Error('no connection in time'), { code: 'ETIMEDOUT' }));
  }, limit);
  const end = (): void => clearTimeout(timer);
  return socket.once(ready, end).once('close', end).setNoDelay(true);
}

/**
 * Agent with `sockets` keep-alive connections. With 0 each request has its own connection, for requests that must not be
 * repeated: on a keep-alive connection, which the node may just be closing, it would be unknown whether the node received it.
 */
export function nodeAgent(endpoint: NodeLocation, sockets: number, options: ConnectOptions): HttpAgent {
  const Agent = endpoint.baseUrl.startsWith('https:') ? HttpsAgent : HttpAgent;
  const keepAlive = { keepAlive: true, maxSockets: sockets, maxFreeSockets: sockets, scheduling: 'lifo' } as const;
  const agent = new Agent(sockets === 0 ? { keepAlive: false } : keepAlive);
  return Object.assign(agent, { createConnection: () => connectTo(endpoint, options) });
}
