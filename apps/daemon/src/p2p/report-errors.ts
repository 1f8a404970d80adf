import type { P2pLogger } from './ports';

/*
 * What timers, sockets and events of other components call runs in these. A throw there would end the process, so it is
 * written to the log; nothing further inside catches what it does not expect.
 */

function textOf(error: unknown): string {
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}

function report(logger: P2pLogger, what: string, error: unknown): void {
  logger.error(`${what}: ${textOf(error)}`);
}

/** Runs `work`; a throw is logged. */
export function reportThrow(logger: P2pLogger, what: string, work: () => void): void {
  try {
    work();
  } catch (error) {
    report(logger, what, error);
  }
}

/** The callback of a timer; a throw is logged, unless the run before threw the same. A damaged database throws in each run. */
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
  work.catch((error: unknown) => {
    report(logger, what, error);
  });
}
