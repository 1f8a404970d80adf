import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import { countedAddress } from '../addresses';
import { canonicalAddress, isLoopback, LOCAL_SOCKET, markConnection } from './client-address';
import { type ListenerKind, markListener } from './listener-kind';

export interface ConnectionRules {
  /** Who can reach the listener. It is the listener that knows, never the connection. */
  readonly kind: ListenerKind;
  /** Connections at once from one address (IPv6: from one /64), loopback and local sockets exempt; 0: no cap. */
  readonly maxPerAddress: number;
  /** Who else has no cap: proxies, which bring many callers. */
  readonly isExempt: (address: string) => boolean;
  /** The whole answer to a connection over the cap; without it, it is only cut. */
  readonly overCap?: (() => string) | undefined;
}

/**
 * How long a caller that was refused may take to read the answer and to hang up. It would keep its place for ever: the end
 * of our half does not end the other.
 */
const LINGER_MS = 1_000;

/**
 * The open connections of a listener. Each is marked with its address when it comes, because Node no longer knows it once
 * the other side has reset; one whose address is gone already is cut, and so is one over the cap of its address, both
 * before anything is read from them.
 */
export class Connections {
  /** With the time at which each came, `performance.now`. */
  private readonly open = new Map<Socket, number>();
  private readonly counts = new Map<string, number>();
  private readonly refused = new Set<Socket>();

  constructor(
    server: Server,
    private readonly rules: ConnectionRules,
  ) {
    server.on('connection', (socket: Socket) => this.take(socket));
  }

  /** Cuts every connection on which nothing goes on; answers on their way out are waited for. */
  cutIdle(isBusy: (socket: Socket, acceptedAt: number) => boolean): void {
    for (const [socket, acceptedAt] of this.open) {
      if (this.refused.has(socket) || (socket.writableLength === 0 && !isBusy(socket, acceptedAt))) socket.destroy();
    }
  }

  cutAll(): void {
    for (const socket of this.open.keys()) socket.destroy();
  }

  /** Sends a last answer; the connection is gone shortly after, whatever the other side does. */
  refuse(socket: Socket, answer: string): void {
    this.refused.add(socket);
    const cut = setTimeout(() => socket.destroy(), LINGER_MS);
    socket.once('close', () => {
      clearTimeout(cut);
      this.refused.delete(socket);
    });
    socket.end(answer);
  }

  private take(socket: Socket): void {
    const { kind } = this.rules;
    const address = kind === 'local' ? LOCAL_SOCKET : canonicalAddress(socket.remoteAddress ?? '');
    if (address === undefined) return void socket.destroy();
    markConnection(socket, address);
    markListener(socket, kind);
    this.open.set(socket, performance.now());
    socket.once('close', () => this.open.delete(socket));
    const { maxPerAddress, isExempt } = this.rules;
    if (maxPerAddress > 0 && !isLoopback(address) && !isExempt(address)) this.count(socket, countedAddress(address));
  }

  private count(socket: Socket, key: string): void {
    const count = (this.counts.get(key) ?? 0) + 1;
    this.counts.set(key, count);
    socket.once('close', () => {
      const left = (this.counts.get(key) ?? 1) - 1;
      if (left === 0) this.counts.delete(key);
      else this.counts.set(key, left);
    });
    if (count > this.rules.maxPerAddress) this.turnAway(socket);
  }

  /** The answer is handed to the system, and the place is free at once, whether it is read or not. */
  private turnAway(socket: Socket): void {
    const { overCap } = this.rules;
    if (overCap === undefined) return void socket.destroy();
    socket.on('error', () => undefined);
    socket.write(overCap());
    socket.destroySoon();
  }
}
