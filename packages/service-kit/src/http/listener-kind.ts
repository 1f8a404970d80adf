import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';

/**
 * Who can reach a listener: `local`, programs of this machine that may open its socket file; `loopback`, all programs of
 * this machine; `open`, other machines too.
 */
export type ListenerKind = 'local' | 'loopback' | 'open';

const KIND = Symbol('listener');
interface Marked {
  [KIND]?: ListenerKind;
}

/** Notes over which listener a connection came; it is the listener that knows. */
export function markListener(socket: Socket, kind: ListenerKind): void {
  (socket as Marked)[KIND] = kind;
}

/** Over which listener a request came; `open` where nobody has noted it, which gives no rights. */
export function listenerOf({ socket }: IncomingMessage): ListenerKind {
  return (socket as Marked)[KIND] ?? 'open';
}
