import { createLogger as createWinston, format, Logger as Winston, transports } from 'winston';
import { errorText } from '../error-text';
import type { LogEntry, LogFields, LogFormat } from './entry';
import { jsonLine, textLine } from './format';
import { LOG_LEVELS, LogLevel, LogLevelName } from './levels';
import { LogFile } from './log-file';

/** What every part of a program logs through. */
export interface Logger {
  fatal(message: string, fields?: LogFields): void;
  error(message: string, fields?: LogFields): void;
  warning(message: string, fields?: LogFields): void;
  info(message: string, fields?: LogFields): void;
  debug(message: string, fields?: LogFields): void;
  trace(message: string, fields?: LogFields): void;
  /** A logger whose lines carry a name, e.g. `child('p2p')`; it shares level and targets. */
  child(name: string): Logger;
  /** The present threshold, shared by all children. */
  readonly level: LogLevel;
  setLevel(level: LogLevel): void;
  /** True when a line of this level would be written: guards costly messages. */
  enabled(level: LogLevelName): boolean;
  /** A text that must not appear in any line from now on. */
  hide(secret: string): void;
  /** Flushes and closes the file, if any. */
  close(): Promise<void>;
}

export interface LoggerOptions {
  readonly level: LogLevel;
  /** Lines of text (default), or one JSON object a line. */
  readonly format?: LogFormat;
  /** Where lines go besides the file: `stdout` (default), `stderr`, or nowhere. */
  readonly console?: 'stdout' | 'stderr' | 'none';
  /** Lines go here, too; each write is one of them with its end. */
  readonly streams?: readonly NodeJS.WritableStream[];
  /** Lines are appended to this file too (created with mode 0640). */
  readonly file?: string | undefined;
  /** When a new file is begun, and how many older ones are kept; without it one file grows. */
  readonly rotation?: { readonly maxBytes: number; readonly keep: number };
  readonly secrets?: readonly string[];
}

const LEVEL_NAMES = Object.keys(LOG_LEVELS) as LogLevelName[];
/** Shorter texts are no secrets, and hiding them would tear every line apart. */
const SHORTEST_SECRET = 4;

/**
 * Makes the root logger of a program.
 * @throws Error with a message for the operator when the log file cannot be opened
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
    close: () => new Promise((done) => (file && !file.closed ? file.end(done) : done())),
  });
  const line = lineWriter(options.format, hidden, logger);
  return logger;
}

/** Turns entries into lines; the stack of an error is written while debug lines are. */
export function lineWriter(
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

/** Where entries go. */
export interface LogSink {
  write(entry: LogEntry): void;
  onLevel?(level: LogLevel): void;
  close?(): Promise<void>;
}

/** The texts that are hidden wherever they appear. */
export function secretSet(secrets: readonly string[] = []): Set<string> {
  const hidden = new Set<string>();
  for (const secret of secrets) addSecret(hidden, secret);
  return hidden;
}

/** The longest first: of a secret that begins another, the rest of the other would be shown. */
function addSecret(hidden: Set<string>, secret: string): void {
  if (secret.length < SHORTEST_SECRET || hidden.has(secret)) return;
  const ordered = [...hidden, secret].sort((a, b) => b.length - a.length);
  hidden.clear();
  for (const text of ordered) hidden.add(text);
}

/** The logger's face over a sink of entries. */
export function makeLogger(first: LogLevel, hidden: Set<string>, sink: LogSink): Logger {
  let level = first;
  sink.onLevel?.(level);
  const enabled = (asked: LogLevelName): boolean => level !== 'disabled' && LOG_LEVELS[asked] <= LOG_LEVELS[level];
  const face = (part: string): Logger => {
    const log = (asked: LogLevelName, message: string, fields?: LogFields): void => {
      if (enabled(asked)) sink.write({ time: new Date(), level: asked, part, message, fields });
    };
    const methods = Object.fromEntries(
      LEVEL_NAMES.map((asked) => [asked, (message: string, fields?: LogFields) => log(asked, message, fields)]),
    ) as Record<LogLevelName, (message: string, fields?: LogFields) => void>;
    return {
      ...methods,
      child: (name) => face(part === '' ? name : `${part}.${name}`),
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
      close: () => sink.close?.() ?? Promise.resolve(),
    };
  };
  return face('');
}
