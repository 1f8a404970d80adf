import { closeSync, createWriteStream, openSync, WriteStream } from 'node:fs';
import { createLogger as createWinston, format, Logger as Winston, transports } from 'winston';
import { errorText } from '../error-text';
import { LOG_LEVELS, LogLevel, LogLevelName } from './levels';
import { fieldsText, hideSecrets, LogFields, plainText } from './text';

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
  /** Where lines go besides the file: `stdout` (default), `stderr`, or nowhere. */
  readonly console?: 'stdout' | 'stderr' | 'none';
  /** Lines are appended to this file too (created with mode 0640). */
  readonly file?: string | undefined;
  readonly secrets?: readonly string[];
}

const LEVEL_NAMES = Object.keys(LOG_LEVELS) as LogLevelName[];

/**
 * Makes the root logger of a program.
 * @throws Error with a message for the operator when the log file cannot be opened
 */
export function createLogger(options: LoggerOptions): Logger {
  const winston = createWinston({
    levels: LOG_LEVELS,
    format: format.printf((entry) => String(entry.message)),
    transports: [],
    exitOnError: false,
    silent: true,
  });
  if (options.console !== 'none') {
    const stream = options.console === 'stderr' ? process.stderr : process.stdout;
    winston.add(new transports.Stream({ stream, eol: '\n' }));
  }
  let file: WriteStream | undefined;
  if (options.file) {
    file = openLogFile(options.file);
    file.on('error', (error) => process.stderr.write(`the log file ${options.file} failed: ${errorText(error)}\n`));
    winston.add(new transports.Stream({ stream: file, eol: '\n' }));
  }
  if (winston.transports.length === 0) winston.add(new transports.Stream({ stream: process.stdout, silent: true }));
  return makeLogger(
    (level, line) => winston.log(level, line),
    (level) => applyLevel(winston, level),
    options,
    () => new Promise((done) => (file && !file.closed ? file.end(done) : done())),
  );
}

function openLogFile(path: string): WriteStream {
  try {
    // opened at once, so that a path that cannot be written stops the start instead of losing lines
    closeSync(openSync(path, 'a', 0o640));
    return createWriteStream(path, { flags: 'a' });
  } catch (error) {
    throw new Error(`cannot open the log file ${path}: ${errorText(error)}`, { cause: error });
  }
}

function applyLevel(winston: Winston, level: LogLevel): void {
  winston.silent = level === 'disabled';
  if (level !== 'disabled') winston.level = level;
}

/** Builds the Logger face over a sink of finished lines. */
export function makeLogger(
  write: (level: LogLevelName, line: string) => void,
  onLevel: (level: LogLevel) => void,
  { level: first, secrets = [] }: Pick<LoggerOptions, 'level' | 'secrets'>,
  close: () => Promise<void>,
): Logger {
  const hidden = new Set(secrets.filter((secret) => secret.length >= 4));
  let level = first;
  onLevel(level);
  const enabled = (asked: LogLevelName): boolean => level !== 'disabled' && LOG_LEVELS[asked] <= LOG_LEVELS[level];
  const face = (name: string): Logger => {
    const log = (asked: LogLevelName, message: string, fields?: LogFields): void => {
      if (!enabled(asked)) return;
      const extra = fields === undefined ? '' : ` ${fieldsText(fields)}`;
      const text = plainText(hideSecrets(`${message}${extra}`, hidden));
      const label = name === '' ? '' : `[${name}] `;
      write(asked, `${timeText(new Date())} ${asked.toUpperCase().padEnd(7)} ${label}${text}`);
    };
    const methods = Object.fromEntries(
      LEVEL_NAMES.map((asked) => [asked, (message: string, fields?: LogFields) => log(asked, message, fields)]),
    ) as Record<LogLevelName, (message: string, fields?: LogFields) => void>;
    return {
      ...methods,
      child: (part) => face(name === '' ? part : `${name}.${part}`),
      get level() {
        return level;
      },
      setLevel(next) {
        level = next;
        onLevel(next);
      },
      enabled,
      hide(secret) {
        if (secret.length >= 4) hidden.add(secret);
      },
      close,
    };
  };
  return face('');
}

/** Local time with milliseconds, `2026-01-31 09:05:07.042`. */
function timeText(time: Date): string {
  const two = (n: number): string => String(n).padStart(2, '0');
  const date = `${time.getFullYear()}-${two(time.getMonth() + 1)}-${two(time.getDate())}`;
  const clock = `${two(time.getHours())}:${two(time.getMinutes())}:${two(time.getSeconds())}`;
  return `${date} ${clock}.${String(time.getMilliseconds()).padStart(3, '0')}`;
}
