import type { P2pLogger } from './ports';

/*
 * Wrappers for callbacks of timers, sockets and events. An exception there would end the process, so it is logged. The code
 * inside does not catch unexpected exceptions itself.
 */

function textOf(error: unknown): string {
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}

function report(logger: P2pLogger, what: string, error: unknown): void {
  logger.error(`${what}: ${textOf(error)}`);
}

/** Runs `work` and logs an exception. */
export function reportThrow(logger: P2pLogger, what: string, work: () => void): void {
  try {
    work();
  } catch (error) {
    report(logger, what, error);
  }
}

/** Wraps a timer callback. Logs an exception unless it repeats that of the previous run: a damaged database fails every run. */
export function reportNewThrow(logger: P2pLogger, what: string, work: () => void): () => void {
  let last: string | undefined;
  return () => {
    try {
      work();
      last = undefined;
    } catch (error) {
      if (textOf(error) !== last) report(logger, what, error);
      last = textOf(error);
    }
  };
}

/** Runs `work` in the background and logs a rejection. */
export function reportRejection(logger: P2pLogger, what: string, work: Promise<unknown>): void {
  work.catch((error: unknown) => report(logger, what, error));
}
