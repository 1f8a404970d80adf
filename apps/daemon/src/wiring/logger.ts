import { resolve } from 'node:path';
import { createLogger, errorText, type Logger, logRotation, NODE_LOG_SCALE, parseLogLevel } from '@wrkz/service-kit';
import type { DaemonConfig } from '../config/config';

/**
 * The daemon's logger. A log file that was asked for must be writable; the default one, in a working directory that
 * nobody chose, is done without where it is not.
 *
 * @param streams where lines go besides the file
 * @throws Error with a message for the operator
 */
export function daemonLogger(
  { action, options, logFileChosen, secrets }: DaemonConfig,
  streams: readonly NodeJS.WritableStream[],
): Logger {
  const level = parseLogLevel(options['log-level'], NODE_LOG_SCALE) ?? 'warning';
  const format = options['log-format'];
  // a look at the machine leaves nothing behind
  const none = options['log-file'] === '' || (action === 'self-test' && !logFileChosen);
  const file = none ? undefined : resolve(options['log-file']);
  const all = { level, format, secrets, streams, console: 'none' } as const;
  try {
    return createLogger({ ...all, file, rotation: logRotation(options) });
  } catch (error) {
    if (logFileChosen) throw error;
    const logger = createLogger(all);
    logger.warning(`no log file is written: ${errorText(error)}`);
    return logger;
  }
}
