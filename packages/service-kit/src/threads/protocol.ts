/** Argument and result of a call. */
export interface CallShape {
  argument: unknown;
  result: unknown;
}

/**
 * The messages of a thread, declared once as a type for both ends:
 *
 *     type EchoThread = {
 *       setup: { directory: string };
 *       ready: { height: number };
 *       calls: { add: { argument: RawBlock[]; result: Result[] } };
 *       events: { commit: CommitEvent };
 *     };
 *
 * Messages are plain data: objects, arrays, numbers, bigints, strings and byte arrays, which arrive as Buffers.
 */
export interface ThreadShape {
  /** Argument of the start. */
  setup: unknown;
  /** Result of the start. */
  ready: unknown;
  calls: Record<string, CallShape>;
  /** Notifications by name. */
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

/** From the thread to its owner. `failed` before `ready`: the start failed; later: the thread is unusable. */
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

export function post(port: Poster, message: ToThread | FromThread): void {
  const packed = pack(message);
  port.postMessage(packed, transferList(packed));
}

/** An error as a message. */
export interface PlainError {
  readonly name: string;
  readonly message: string;
  /** For errors that are not in the registry. */
  readonly stack?: string | undefined;
  /** Index of its class in the registry. */
  readonly carrier?: number;
  /** Fields of the class in addition to the message. */
  readonly data?: unknown;
}

/** Serialisation of one error class, made by `carriedError`. */
export interface CarriedError {
  readonly matches: (error: unknown) => boolean;
  readonly data: (error: Error) => unknown;
  readonly rebuild: (message: string, data: unknown) => Error;
}

/** Error classes that callers distinguish. Both ends use the same list; the first match counts. */
export type ErrorRegistry = readonly CarriedError[];

/**
 * Declares an error class whose instances keep their class when they cross threads.
 * @param rebuild creates the error at the other end
 * @param data plain data for `rebuild` besides the message
 */
export function carriedError<E extends Error, D = undefined>(
  type: abstract new (...given: never[]) => E,
  rebuild: (message: string, data: D) => E,
  data?: (error: E) => D,
): CarriedError {
  return {
    matches: (error) => error instanceof type,
    data: (error) => data?.(error as E),
    rebuild: (message, carried) => rebuild(message, carried as D),
  };
}

/** The error as plain data. */
export function plainError(error: unknown, registry: ErrorRegistry): PlainError {
  if (!(error instanceof Error)) return { name: 'Error', message: String(error) };
  const { name, message, stack } = error;
  const carrier = registry.findIndex(({ matches }) => matches(error));
  return carrier < 0 ? { name, message, stack } : { name, message, carrier, data: registry[carrier]?.data(error) };
}

/** The error at the other end: of its class if the registry has it, else an Error with the same name and message. */
export function rebuiltError({ name, message, stack, carrier, data }: PlainError, registry: ErrorRegistry): Error {
  const known = carrier === undefined ? undefined : registry[carrier];
  if (known !== undefined) return known.rebuild(message, data);
  return Object.assign(new Error(message), { name, ...(stack === undefined ? {} : { stack }) });
}

/*
 * A structured clone copies the whole ArrayBuffer of a Buffer, which may be a shared pool or a whole frame, and it arrives as a
 * Uint8Array. So all bytes of a message are copied into one block, which is transferred, and arrive as Buffers.
 */

/** A message whose bytes are in a separate block; `transferList(packed)` is its transfer list. */
export interface Packed {
  readonly value: unknown;
  /** Missing without byte arrays: even an empty block costs a copy. */
  readonly bytes?: Uint8Array;
}

/** Key of an object that replaces bytes: [offset, length] in the block. No field may have this name. */
const MARK = '\u0000bytes';

type Fields = Record<string, unknown>;

/**
 * Packs plain data (objects, arrays, numbers, bigints, strings, byte arrays).
 * @throws TypeError for a field with the reserved name
 */
export function pack(value: unknown): Packed {
  const parts: Uint8Array[] = [];
  let offset = 0;
  const placed = (bytes: Uint8Array): Fields => {
    parts.push(bytes);
    offset += bytes.length;
    return { [MARK]: [offset - bytes.length, bytes.length] };
  };
  /** Values without bytes are unchanged: the structured clone copies them anyway. */
  const outlined = (item: unknown): unknown => {
    if (typeof item !== 'object' || item === null) return item;
    if (item instanceof Uint8Array) return placed(item);
    return Array.isArray(item) ? outlinedArray(item) : outlinedObject(item as Fields);
  };
  const outlinedArray = (items: readonly unknown[]): unknown => {
    let copy: unknown[] | undefined;
    for (let i = 0; i < items.length; i++) {
      const outline = outlined(items[i]);
      if (outline !== items[i]) (copy ??= [...items])[i] = outline;
    }
    return copy ?? items;
  };
  const outlinedObject = (fields: Fields): unknown => {
    let copy: Fields | undefined;
    for (const key of Object.keys(fields)) {
      if (key === MARK) throw new TypeError('a field has the name that is reserved for bytes');
      const outline = outlined(fields[key]);
      if (outline !== fields[key]) (copy ??= { ...fields })[key] = outline;
    }
    return copy ?? fields;
  };
  const outline = outlined(value);
  if (parts.length === 0) return { value: outline };
  const bytes = new Uint8Array(offset);
  let position = 0;
  for (const part of parts) {
    bytes.set(part, position);
    position += part.length;
  }
  return { value: outline, bytes };
}

/** The packed value. It is filled in place, so it can be unpacked once. The caller knows the type. */
export function unpack<T>({ value, bytes }: Packed): T {
  if (bytes === undefined) return value as T;
  const filled = (item: unknown): unknown => {
    if (typeof item !== 'object' || item === null) return item;
    const fields = item as Fields;
    const place = fields[MARK];
    if (Array.isArray(place)) {
      const [offset, length] = place as [number, number];
      return Buffer.from(bytes.buffer, bytes.byteOffset + offset, length);
    }
    for (const key of Object.keys(fields)) {
      const value = filled(fields[key]);
      if (value !== fields[key]) fields[key] = value;
    }
    return fields;
  };
  return filled(value) as T;
}

/** Transferred instead of copied. */
export function transferList({ bytes }: Packed): ArrayBuffer[] {
  return bytes === undefined || bytes.length === 0 ? [] : [bytes.buffer as ArrayBuffer];
}
