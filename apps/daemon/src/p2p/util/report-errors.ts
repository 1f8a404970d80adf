import type { P2pLogger } from '../ports';

/*
 * What timers, sockets and events of other components call runs in these. A throw there would end the process, so it is
 * written to the log; nothing further inside catches what it does not expect.
 */

function report(logger: P2pLogger, what: string, error: unknown): void {
  logger.error(`${what}: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`);
}

/** Runs `work`; a throw is logged. */
export function reportThrow(logger: P2pLogger, what: string, work: () => void): void {
  try {
    work();
  } catch (error) {
    report(logger, what, error);
  }
}

/** Lets `work` go on by itself; a rejection is logged. */
export function reportRejection(logger: P2pLogger, what: string, work: Promise<unknown>): void {
  work.catch((error: unknown) => {
    report(logger, what, error);
  });
}
