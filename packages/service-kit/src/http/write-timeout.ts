import type { Server } from 'node:http';
import type { Socket } from 'node:net';

/** How often stalled answers are looked for. */
const SWEEP_MS = 1_000;

/**
 * Ends connections whose answer is not being taken. A handler may think as long as it likes (long polls): only time in
 * which written bytes wait without any of them leaving counts.
 */
export function guardWrites(server: Server, timeoutMs: number): void {
  const stalled = new Map<Socket, { left: number; since: number }>();
  const sockets = new Set<Socket>();
  server.on('connection', (socket: Socket) => {
    sockets.add(socket);
    socket.once('close', () => {
      sockets.delete(socket);
      stalled.delete(socket);
    });
  });
  const sweep = setInterval(
    () => {
      const now = performance.now();
      for (const socket of sockets) {
        if (socket.writableLength === 0) {
          stalled.delete(socket);
          continue;
        }
        const left = leftInQueue(socket);
        const seen = stalled.get(socket);
        if (seen === undefined || seen.left !== left) stalled.set(socket, { left, since: now });
        else if (now - seen.since >= timeoutMs) socket.destroy();
      }
    },
    Math.min(SWEEP_MS, Math.max(10, timeoutMs / 4)),
  );
  sweep.unref();
  server.once('close', () => clearInterval(sweep));
}

/** Bytes that have not left yet: those still queued here, and those the system has not taken of the running write. */
function leftInQueue(socket: Socket): number {
  const handle = (socket as { _handle?: { writeQueueSize?: number } | null })._handle;
  return socket.writableLength + (handle?.writeQueueSize ?? 0);
}
