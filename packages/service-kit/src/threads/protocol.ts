import { pack, type Packed, transferList } from './packing';
import type { PlainError } from './errors';

/** One call of a thread: what it is given and what it answers. */
export interface CallShape {
  argument: unknown;
  result: unknown;
}

/**
 * What a thread and its owner say to each other, declared once as a type that both ends name:
 *
 *     type EchoThread = {
 *       setup: { directory: string };
 *       ready: { height: number };
 *       calls: { add: { argument: RawBlock[]; result: Result[] } };
 *       events: { commit: CommitEvent };
 *     };
 *
 * All of it is plain data: objects, arrays, numbers, bigints, strings and byte arrays, which arrive as Buffers.
 */
export interface ThreadShape {
  /** What the thread is started with. */
  setup: unknown;
  /** What it says once it serves. */
  ready: unknown;
  calls: Record<string, CallShape>;
  /** What it reports unasked, by name. */
  events: Record<string, unknown>;
}

export type CallName<S extends ThreadShape> = keyof S['calls'] & string;
export type EventName<S extends ThreadShape> = keyof S['events'] & string;

export type Argument<S extends ThreadShape, N extends CallName<S>> = S['calls'][N]['argument'];
export type Result<S extends ThreadShape, N extends CallName<S>> = S['calls'][N]['result'];

/** From the owner to the thread. */
export type ToThread =
  | { readonly kind: 'call'; readonly id: number; readonly name: string; readonly argument: unknown }
  | { readonly kind: 'cancel'; readonly id: number }
  | { readonly kind: 'close' };

/** From the thread to its owner. `failed` before `ready` is a start that failed; afterwards the thread can do no more. */
export type FromThread =
  | { readonly kind: 'ready'; readonly value: unknown }
  | { readonly kind: 'failed'; readonly error: PlainError }
  | { readonly kind: 'result'; readonly id: number; readonly value: unknown }
  | { readonly kind: 'error'; readonly id: number; readonly error: PlainError }
  | { readonly kind: 'event'; readonly name: string; readonly value: unknown };

/** Either end of the channel: a Worker, or the parent port inside one. */
interface Poster {
  postMessage(message: Packed, transfer: readonly ArrayBuffer[]): void;
}

/** Packs and posts one message. */
export function post(port: Poster, message: ToThread | FromThread): void {
  const packed = pack(message);
  port.postMessage(packed, transferList(packed));
}
