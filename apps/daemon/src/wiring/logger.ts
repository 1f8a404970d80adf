import { resolve } from 'node:path';
import { type Logger, loggerFromOptions, NODE_LOG_SCALE } from '@wrkz/service-kit';
import type { DaemonConfig } from '../config/config';

/**
 * The daemon's logger. A configured log file must be writable. The default file is optional: the working directory may be
 * read-only.
 *
 * @param streams where lines go besides the file
 * @throws Error with a message for the operator
 */
export function daemonLogger(config: DaemonConfig, streams: readonly NodeJS.WritableStream[]): Logger {
  const { action, options, logFileChosen } = config;
  // A self-test must not create files.
  const isWithoutFile = options['log-file'] === '' || (action === 'self-test' && !logFileChosen);
  const file = isWithoutFile ? '' : resolve(options['log-file']);
  return loggerFromOptions(config, {
    scale: NODE_LOG_SCALE,
    streams,
    console: 'none',
    file,
    fileRequired: logFileChosen,
  });
}
