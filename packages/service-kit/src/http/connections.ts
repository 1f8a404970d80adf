import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import { canonicalAddress, isLoopback } from './client-address';

/** Cuts connections over the cap of their address, before anything is read from them. Loopback is exempt; 0 is no cap. */
export function guardConnections(server: Server, maxPerAddress: number): void {
  if (maxPerAddress <= 0) return;
  const open = new Map<string, number>();
  server.on('connection', (socket: Socket) => {
    const address = canonicalAddress(socket.remoteAddress ?? '');
    if (address === undefined || isLoopback(address)) return;
    const count = (open.get(address) ?? 0) + 1;
    open.set(address, count);
    socket.once('close', () => {
      const left = (open.get(address) ?? 1) - 1;
      if (left === 0) open.delete(address);
      else open.set(address, left);
    });
    if (count > maxPerAddress) socket.destroy();
  });
}
