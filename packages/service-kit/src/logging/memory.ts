import { LogLevel, LogLevelName } from './levels';
import { Logger, makeLogger } from './logger';

/** A logger that keeps its lines, for tests. */
export interface MemoryLogger extends Logger {
  /** The finished lines, oldest first. */
  readonly lines: string[];
  /** The lines of one level. */
  linesOf(level: LogLevelName): string[];
}

/** A logger into memory; by default it takes every level. */
export function createMemoryLogger(level: LogLevel = 'trace', secrets: readonly string[] = []): MemoryLogger {
  const entries: { level: LogLevelName; line: string }[] = [];
  const lines: string[] = [];
  const logger = makeLogger(
    (asked, line) => {
      entries.push({ level: asked, line });
      lines.push(line);
    },
    () => undefined,
    { level, secrets },
    () => Promise.resolve(),
  );
  const linesOf = (asked: LogLevelName): string[] => entries.filter((e) => e.level === asked).map((e) => e.line);
  return Object.assign(logger, { lines, linesOf });
}

/** A logger that writes nowhere. */
export function silentLogger(): Logger {
  return makeLogger(
    () => undefined,
    () => undefined,
    { level: 'disabled' },
    () => Promise.resolve(),
  );
}
