import { errorText } from '../error-text';
import { logRotation } from '../options/groups';
import type { LogFormat } from './entry';
import { type LogScale, parseLogLevel } from './levels';
import { createLogger, type Logger, type LoggerOptions } from './logger';

/** A program's resolved options, with those of `loggingOptions` among them. */
export interface LoggingConfig {
  readonly options: {
    readonly 'log-level': string;
    readonly 'log-format': LogFormat;
    readonly 'log-file': string | undefined;
    readonly 'log-max-size': number;
    readonly 'log-max-files': number;
  };
  readonly secrets: readonly string[];
}

export interface LoggerSettings extends Pick<LoggerOptions, 'console' | 'streams'> {
  /** The one that the option `--log-level` was declared with. */
  readonly scale: LogScale;
  /** In place of `--log-file` as it is given; empty for none. */
  readonly file?: string;
  /** If false, a log file that cannot be opened is a warning, and the program goes on without it. Default: true. */
  readonly fileRequired?: boolean;
}

/**
 * The logger of a program, as its options configure it.
 * @throws Error with a message for the operator when a required log file cannot be opened
 */
export function loggerFromOptions({ options, secrets }: LoggingConfig, settings: LoggerSettings): Logger {
  const { scale, file = options['log-file'], fileRequired = true, ...targets } = settings;
  const common = {
    ...targets,
    level: parseLogLevel(options['log-level'], scale) ?? 'info',
    format: options['log-format'],
    secrets,
  };
  try {
    return createLogger({ ...common, file, rotation: logRotation(options) });
  } catch (error) {
    if (fileRequired) throw error;
    const logger = createLogger(common);
    logger.warning(`${errorText(error)}; logging continues without a file`);
    return logger;
  }
}
