/** An error on its way to another thread. */
export interface PlainError {
  readonly name: string;
  readonly message: string;
  /** Where it was thrown; for errors that nobody expects. */
  readonly stack?: string | undefined;
  /** The place of its class in the registry. */
  readonly carrier?: number;
  /** What the class carries besides the message. */
  readonly data?: unknown;
}

/** How errors of one class cross: made by `carriedError`. */
export interface CarriedError {
  readonly matches: (error: unknown) => boolean;
  readonly data: (error: Error) => unknown;
  readonly rebuild: (message: string, data: unknown) => Error;
}

/** The classes that callers of a thread tell apart. Both ends are given the same list; the first that matches counts. */
export type ErrorRegistry = readonly CarriedError[];

/**
 * Lets errors of a class arrive as what they were.
 * @param rebuild makes the error again on the other side
 * @param data what it needs for that besides the message; plain data
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

/** The error of the other thread: in its class where the registry has it, else an Error of the same name and message. */
export function rebuiltError({ name, message, stack, carrier, data }: PlainError, registry: ErrorRegistry): Error {
  const known = carrier === undefined ? undefined : registry[carrier];
  if (known !== undefined) return known.rebuild(message, data);
  return Object.assign(new Error(message), { name, ...(stack === undefined ? {} : { stack }) });
}
