import { createLogger, errorText, type Logger, logRotation, parseLogLevel } from '@wrkz/service-kit';
import type { WalletRpcConfig } from './config';
import { SERVICE_LOG_SCALE } from './options';

/** The logger as the options want it. A file that cannot be opened is a warning: the service starts without it. */
export function serviceLogger({ options, logFile, secrets }: WalletRpcConfig): Logger {
  const common = {
    level: parseLogLevel(options['log-level'], SERVICE_LOG_SCALE) ?? 'info',
    format: options['log-format'],
    rotation: logRotation(options),
    secrets,
  };
  try {
    return createLogger({ ...common, file: logFile });
  } catch (error) {
    const logger = createLogger({ ...common, file: undefined });
    logger.warning(`${errorText(error)}; nothing is written to it`);
    return logger;
  }
}
