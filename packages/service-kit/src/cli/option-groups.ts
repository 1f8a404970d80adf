import { checkApiKey, checkCorsOrigin } from '../http/guards';
import { checkBindAddress, isAddressOrRange } from '../http/client-address';
import { errorText } from '../error-text';
import {
  createLogger,
  type LogFormat,
  type Logger,
  type LoggerOptions,
  type LogScale,
  NAMED_LOG_SCALE,
  parseLogLevel,
} from '../log/logger';
import type { ListenAddress } from '../http/server';
import type { OptionSpec, OptionValues } from './options';

/**
 * Options that several programs share. Each program chooses name, default and help text, and the heading with `inGroup`; type
 * and validation of the value are defined here.
 */
interface Texts {
  readonly name: string;
  readonly help: string;
}

/** An address to listen on. An empty text would mean all addresses and a host name would be resolved, so both are rejected. */
export function bindAddressOption<const T extends Texts & { readonly default: string | undefined }>(texts: T) {
  const validate = (value: string | number | boolean): string | undefined => checkBindAddress(String(value));
  return { ...texts, type: 'string', validate } as const;
}

/** The address of a second listener; empty for none. */
export function secondAddressOption<const T extends Texts & { readonly default: string | undefined }>(texts: T) {
  const validate = (value: string | number | boolean): string | undefined =>
    value === '' ? undefined : checkBindAddress(String(value));
  return { ...texts, type: 'string', validate } as const;
}

/** A TCP port. With `min` 0, port 0 selects a free port. */
export function portOption<
  const T extends Texts & { readonly default: number | undefined; readonly defaultText?: string; readonly min: 0 | 1 },
>(texts: T) {
  return { ...texts, type: 'number', max: 65_535 } as const;
}

/** Read with `splitList`. */
export const TRUSTED_PROXY_OPTION = {
  name: 'trusted-proxy',
  default: [],
  help: 'Address or range of a reverse proxy whose forwarded client address is trusted; may be repeated or a comma-separated list',
  validate: (value: string | number | boolean): string | undefined => {
    const wrong = splitList([String(value)]).find((part) => !isAddressOrRange(part));
    return wrong === undefined ? undefined : `${wrong} is not an address or range`;
  },
} as const;

/** The listeners of a program without access to funds: an address, perhaps a second one, and their port. */
export function listenerOptions<const Port extends number>(port: Port) {
  return [
    bindAddressOption({
      name: 'bind-ip',
      default: '127.0.0.1',
      help: 'Interface to listen on; 0.0.0.0 or :: for all',
    }),
    portOption({ name: 'bind-port', default: port, min: 1, help: 'TCP port' }),
    secondAddressOption({
      name: 'bind-ipv6-address',
      default: undefined,
      help: 'Address of a second listener on the same port',
    }),
    TRUSTED_PROXY_OPTION,
  ] as const;
}

/** The addresses of `listenerOptions`: the main one, and the optional second one. */
export function listenerAddresses(
  options: OptionValues<ReturnType<typeof listenerOptions>>,
  port: number = options['bind-port'],
): ListenAddress[] {
  const { 'bind-ip': host, 'bind-ipv6-address': second = '' } = options;
  const main = { host, port, portOption: 'bind-port' };
  return second === '' ? [main] : [main, { ...main, host: second, required: false }];
}

/** Splits the entries of a list option, each of which may be a comma-separated list. */
export function splitList(entries: readonly string[]): string[] {
  return entries
    .flatMap((entry) => entry.split(','))
    .map((part) => part.trim())
    .filter((part) => part !== '');
}

/** A key, token or password that requests must carry. */
export function apiKeyOption<const T extends Texts & { readonly default: string | undefined }>(texts: T) {
  const validate = (value: string | number | boolean): string | undefined => checkApiKey(String(value));
  return { ...texts, type: 'string', secret: true, validate } as const;
}

/** Empty for none. */
export const CORS_OPTION = {
  name: 'enable-cors',
  default: '',
  help: 'Value of Access-Control-Allow-Origin',
  validate: (value: string | number | boolean): string | undefined => checkCorsOrigin(String(value)),
} as const;

/** An option of older programs that is accepted; the help says why it has no effect. */
export function ignoredOption<const T extends Omit<OptionSpec, 'group' | 'help'> & { readonly noEffect: string }>(
  spec: T,
) {
  return { ...spec, help: `Accepted; ${spec.noEffect}` } as const;
}

/** Threads of a program that computes proofs of work. */
export const HASHING_THREADS = {
  name: 'threads',
  default: 0,
  min: 0,
  max: 1024,
  defaultText: 'all hardware threads',
  help: 'Hashing threads; 0 is one per hardware thread',
} as const;

export const METRICS_OPTION = {
  name: 'enable-metrics',
  default: false,
  help: 'Serve GET /metrics for Prometheus',
} as const;

const MEGABYTE = 1024 * 1024;
const LOG_FILE_HELP = 'Also append log lines to this file';

interface LoggingTexts {
  /** The values of `--log-level`, for `parseLogLevel`. */
  readonly scale: LogScale;
  readonly level: string;
  readonly file: string | undefined;
  readonly fileHelp?: string;
}

/** The rotation according to `--log-max-size` and `--log-max-files`. */
export function logRotation(options: { readonly 'log-max-size': number; readonly 'log-max-files': number }): {
  readonly maxBytes: number;
  readonly keep: number;
} {
  return { maxBytes: options['log-max-size'] * MEGABYTE, keep: options['log-max-files'] };
}

/** The logging options, with the same names in all programs. */
export function loggingOptions<const T extends LoggingTexts>({ scale, level, file, fileHelp = LOG_FILE_HELP }: T) {
  const validate = (value: string | number | boolean): string | undefined =>
    parseLogLevel(String(value), scale) === undefined ? scale.complaint : undefined;
  return [
    { name: 'log-level', default: level as T['level'], help: scale.help, validate },
    { name: 'log-file', type: 'string', default: file as T['file'], help: fileHelp },
    {
      name: 'log-max-size',
      default: 100,
      min: 0,
      max: 1_000_000,
      help: 'Size in megabytes at which the log file is rotated to <name>.1, <name>.1 to <name>.2, ...; 0 disables rotation',
    },
    {
      name: 'log-max-files',
      default: 5,
      min: 0,
      max: 1000,
      help: 'Number of rotated log files to retain',
    },
    {
      name: 'log-format',
      default: 'text',
      choices: ['text', 'json'],
      help: 'Text lines, or one JSON object per line',
    },
  ] as const;
}

/** Logging and metrics of a program without access to funds. */
export const LOGGING_AND_METRICS = [
  ...loggingOptions({ scale: NAMED_LOG_SCALE, level: 'info', file: undefined }),
  METRICS_OPTION,
] as const;

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
