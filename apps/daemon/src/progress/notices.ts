import type { Opening } from '@wrkz/chain-db';
import type { Logger } from '@wrkz/service-kit';

/**
 * Returns a function that prints a line for the operator: through the log if it shows info lines, otherwise directly to the terminal
 * (the default log level hides info lines).
 */
export function notices(logger: Logger, stream: Pick<NodeJS.WritableStream, 'write'>): (line: string) => void {
  return (line) => {
    if (logger.enabled('info') || logger.level === 'disabled') logger.info(line);
    else stream.write(`${line}\n`);
  };
}

/** Lines for the operator about what the open of the database found; none after a clean stop. */
export function openingLines({ cleanStop, checked }: Opening): string[] {
  return cleanStop
    ? []
    : [`The last stop was not clean: the highest ${String(checked)} blocks were checked and are intact`];
}
