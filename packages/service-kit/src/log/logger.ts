import { createLogger as createWinston, format, Logger as Winston, transports } from 'winston';
import { errorText } from '../error-text';
import { jsonLine, LOG_LEVELS, type LogEntry, type LogFields, type LogLevelName, textLine } from './format';
import { LogFile } from './log-file';

/** A threshold: a level, or `disabled` for no output. */
export type LogLevel = LogLevelName | 'disabled';

/** The values of `--log-level` of a program. The C++ programs have different scales. */
export interface LogScale {
  /** Names, case insensitive. */
  readonly names: readonly LogLevel[];
  /** Levels of the numbers from 0 on; missing if only names are allowed. */
  readonly numbers?: readonly LogLevel[];
  /** Aliases of names. */
  readonly otherNames?: Readonly<Record<string, LogLevel>>;
  /** For `--help`. */
  readonly help: string;
  /** The error for an invalid value. */
  readonly complaint: string;
}

/** Log levels by name only. */
export const NAMED_LOG_SCALE: LogScale = {
  names: ['trace', 'debug', 'info', 'warning', 'fatal', 'disabled'],
  help: 'trace, debug, info, warning, fatal or disabled',
  complaint: 'must be one of trace, debug, info, warning, fatal, disabled',
};

/** The scale of the node: 0 FATAL to 5 TRACE, or the name. */
export const NODE_LOG_SCALE: LogScale = {
  names: ['fatal', 'error', 'warning', 'info', 'debug', 'trace', 'disabled'],
  numbers: ['fatal', 'error', 'warning', 'info', 'debug', 'trace'],
  otherNames: { warn: 'warning' },
  help: '0 FATAL, 1 ERROR, 2 WARNING, 3 INFO, 4 DEBUG, 5 TRACE, or the name',
  complaint: 'expected a level 0 to 5 or its name',
};

/** Parses a threshold; undefined for an invalid value. */
export function parseLogLevel(value: string | number, scale: LogScale = NODE_LOG_SCALE): LogLevel | undefined {
  const text = String(value).trim().toLowerCase();
  if (/^\d$/.test(text)) return scale.numbers?.[Number(text)];
  return scale.names.find((name) => name === text) ?? scale.otherNames?.[text];
}

export type LogFormat = 'text' | 'json';

/** The logger of a component. */
export interface Logger {
  fatal(message: string, fields?: LogFields): void;
  error(message: string, fields?: LogFields): void;
  warning(message: string, fields?: LogFields): void;
  info(message: string, fields?: LogFields): void;
  debug(message: string, fields?: LogFields): void;
  trace(message: string, fields?: LogFields): void;
  /** A logger whose lines have a component name, e.g. `child('p2p')`; it shares level and targets. */
  child(name: string): Logger;
  /** The threshold, shared by all children. */
  readonly level: LogLevel;
  setLevel(level: LogLevel): void;
  /** Whether a line of this level would be written, for messages that are expensive to build. */
  enabled(level: LogLevelName): boolean;
  /** Hides a text in all further lines. */
  hide(secret: string): void;
  /** Closes the log file and opens its path again, after another program has moved the file. */
  reopen(): Promise<void>;
  /** Flushes and closes the file. */
  close(): Promise<void>;
}

export interface LoggerOptions {
  readonly level: LogLevel;
  /** Text (default), or one JSON object per line. */
  readonly format?: LogFormat;
  /** Output in addition to the file. Default: `stdout`. */
  readonly console?: 'stdout' | 'stderr' | 'none';
  /** Further outputs; each write is one line. */
  readonly streams?: readonly NodeJS.WritableStream[];
  /** Log file, created with mode 0640. */
  readonly file?: string | undefined;
  /** Rotation by size, and the number of rotated files to keep. Default: no rotation. */
  readonly rotation?: { readonly maxBytes: number; readonly keep: number };
  readonly secrets?: readonly string[];
}

const LEVEL_NAMES = Object.keys(LOG_LEVELS) as LogLevelName[];
/** Shorter texts would match parts of ordinary lines. */
const MIN_SECRET_LENGTH = 4;

/**
 * Makes the root logger of a program.
 * @throws Error with a message for the operator if the log file cannot be opened
 */
export function createLogger(options: LoggerOptions): Logger {
  const hidden = secretSet(options.secrets);
  const winston = createWinston({
    levels: LOG_LEVELS,
    format: format.printf((info) => line(info as unknown as LogEntry)),
    transports: [],
    exitOnError: false,
    silent: true,
  });
  if (options.console !== 'none') {
    const stream = options.console === 'stderr' ? process.stderr : process.stdout;
    winston.add(new transports.Stream({ stream, eol: '\n' }));
  }
  for (const stream of options.streams ?? []) winston.add(new transports.Stream({ stream, eol: '\n' }));
  const file = options.file ? openLogFile(options.file, options.rotation) : undefined;
  if (file !== undefined) winston.add(new transports.Stream({ stream: file, eol: '\n' }));
  if (winston.transports.length === 0) winston.add(new transports.Stream({ stream: process.stdout, silent: true }));
  const logger = makeLogger(options.level, hidden, {
    write: (entry) => winston.log(entry),
    onLevel: (level) => applyLevel(winston, level),
    reopen: () => file?.reopen() ?? Promise.resolve(),
    close: () => new Promise((done) => (file && !file.closed ? file.end(done) : done())),
  });
  const line = lineWriter(options.format, hidden, logger);
  return logger;
}

/** Formats entries. Stacks of errors are included while the level is debug. */
function lineWriter(
  form: LogFormat | undefined,
  hidden: ReadonlySet<string>,
  logger: Logger,
): (entry: LogEntry) => string {
  return (entry) => (form === 'json' ? jsonLine(entry, hidden, logger.enabled('debug')) : textLine(entry, hidden));
}

function openLogFile(path: string, { maxBytes, keep } = { maxBytes: 0, keep: 0 }): LogFile {
  try {
    return new LogFile({ path, maxBytes, keep, onTrouble: (text) => process.stderr.write(`${text}\n`) });
  } catch (error) {
    throw new Error(`cannot open the log file ${path}: ${errorText(error)}`, { cause: error });
  }
}

function applyLevel(winston: Winston, level: LogLevel): void {
  winston.silent = level === 'disabled';
  if (level !== 'disabled') winston.level = level;
}

/** A destination of log entries. */
interface LogSink {
  write(entry: LogEntry): void;
  onLevel?(level: LogLevel): void;
  reopen?(): Promise<void>;
  close?(): Promise<void>;
}

function secretSet(secrets: readonly string[] = []): Set<string> {
  const hidden = new Set<string>();
  for (const secret of secrets) addSecret(hidden, secret);
  return hidden;
}

/** Longest first: otherwise a secret that is a prefix of another would leave the rest of the other. */
function addSecret(hidden: Set<string>, secret: string): void {
  if (secret.length < MIN_SECRET_LENGTH || hidden.has(secret)) return;
  const ordered = [...hidden, secret].sort((a, b) => b.length - a.length);
  hidden.clear();
  for (const text of ordered) hidden.add(text);
}

function makeLogger(first: LogLevel, hidden: Set<string>, sink: LogSink): Logger {
  let level = first;
  sink.onLevel?.(level);
  const enabled = (name: LogLevelName): boolean => level !== 'disabled' && LOG_LEVELS[name] <= LOG_LEVELS[level];
  const loggerOf = (part: string): Logger => {
    const log = (name: LogLevelName, message: string, fields?: LogFields): void => {
      if (enabled(name)) sink.write({ time: new Date(), level: name, part, message, fields });
    };
    const methods = Object.fromEntries(
      LEVEL_NAMES.map((name) => [name, (message: string, fields?: LogFields) => log(name, message, fields)]),
    ) as Record<LogLevelName, (message: string, fields?: LogFields) => void>;
    return {
      ...methods,
      child: (name) => loggerOf(part === '' ? name : `${part}.${name}`),
      get level() {
        return level;
      },
      setLevel(next) {
        level = next;
        sink.onLevel?.(next);
      },
      enabled,
      hide(secret) {
        addSecret(hidden, secret);
      },
      reopen: () => sink.reopen?.() ?? Promise.resolve(),
      close: () => sink.close?.() ?? Promise.resolve(),
    };
  };
  return loggerOf('');
}

/** A logger with its lines in memory, for tests. */
export interface MemoryLogger extends Logger {
  /** Formatted lines, oldest first. */
  readonly lines: string[];
  /** The entries of the lines. */
  readonly entries: LogEntry[];
  /** The lines of one level. */
  linesOf(level: LogLevelName): string[];
}

/** @param level default: all lines */
export function createMemoryLogger(
  level: LogLevel = 'trace',
  secrets: readonly string[] = [],
  format: LogFormat = 'text',
): MemoryLogger {
  const hidden = secretSet(secrets);
  const entries: LogEntry[] = [];
  const lines: string[] = [];
  const logger = makeLogger(level, hidden, {
    write: (entry) => {
      entries.push(entry);
      lines.push(line(entry));
    },
  });
  const line = lineWriter(format, hidden, logger);
  const linesOf = (name: LogLevelName): string[] => lines.filter((_line, i) => entries[i]?.level === name);
  return Object.assign(logger, { lines, entries, linesOf });
}

/** A logger that passes its entries to `write`, for example to send them to another process. */
export function forwardingLogger(level: LogLevel, write: (entry: LogEntry) => void): Logger {
  return makeLogger(level, secretSet(), { write });
}

/** A logger without output. */
export function silentLogger(): Logger {
  return makeLogger('disabled', secretSet(), { write: () => undefined });
}
