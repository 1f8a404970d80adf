import type { LogEntry, LogFormat } from './entry';
import { LogLevel, LogLevelName } from './levels';
import { lineWriter, Logger, makeLogger, secretSet } from './logger';

/** A logger that remembers what it was given, for tests. */
export interface MemoryLogger extends Logger {
  /** The finished lines, oldest first. */
  readonly lines: string[];
  /** What was logged, with its fields. */
  readonly entries: LogEntry[];
  /** The lines of one level. */
  linesOf(level: LogLevelName): string[];
}

/** A logger into memory; by default it takes every level. */
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
  const linesOf = (asked: LogLevelName): string[] => lines.filter((_line, i) => entries[i]?.level === asked);
  return Object.assign(logger, { lines, entries, linesOf });
}

/** A logger that writes nowhere. */
export function silentLogger(): Logger {
  return makeLogger('disabled', secretSet(), { write: () => undefined });
}
