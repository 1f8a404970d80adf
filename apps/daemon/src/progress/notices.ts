import type { Logger } from '@wrkz/service-kit';

/**
 * Lines that are for whoever started the program: they are logged where the log shows them, and otherwise written to
 * the terminal all the same (the default log level shows warnings only).
 */
export function notices(logger: Logger, stream: Pick<NodeJS.WritableStream, 'write'>): (line: string) => void {
  return (line) => {
    if (logger.enabled('info') || logger.level === 'disabled') logger.info(line);
    else stream.write(`${line}\n`);
  };
}
