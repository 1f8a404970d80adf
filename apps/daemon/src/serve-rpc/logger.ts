import { resolve } from 'node:path';
import { createLogger, type Logger, logRotation, NODE_LOG_SCALE, parseLogLevel } from '@wrkz/service-kit';
import type { ServeRpcConfig } from './config';

/** Lines go to the terminal, or the service manager, and to a file where one was asked for. @throws Error */
export function readerLogger({ options, secrets }: Pick<ServeRpcConfig, 'options' | 'secrets'>): Logger {
  const level = parseLogLevel(options['log-level'], NODE_LOG_SCALE) ?? 'warning';
  const file = options['log-file'] === '' ? undefined : resolve(options['log-file']);
  return createLogger({ level, format: options['log-format'], secrets, file, rotation: logRotation(options) });
}
