import { errorText } from '../error-text';
import { logRotation } from '../cli/option-groups';
import { createLogger, type LogFormat, type Logger, type LoggerOptions, type LogScale, parseLogLevel } from './logger';

/** The resolved options of a program; they include `loggingOptions`. */
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
  /** The scale of `--log-level`. */
  readonly scale: LogScale;
  /** Overrides `--log-file`; empty for none. */
  readonly file?: string;
  /** If false, a log file that cannot be opened is only a warning. Default: true. */
  readonly fileRequired?: boolean;
}

/**
 * The logger that the options configure.
 * @throws Error with a message for the operator if a required log file cannot be opened
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
