/** Severity by name; the number is the `--log-level` number. Lower is graver. */
export const LOG_LEVELS = { fatal: 0, error: 1, warning: 2, info: 3, debug: 4, trace: 5 } as const;

export type LogLevelName = keyof typeof LOG_LEVELS;

/** A threshold: a level name, or `disabled` for no output at all. */
export type LogLevel = LogLevelName | 'disabled';

const NAMES = Object.keys(LOG_LEVELS) as LogLevelName[];

/** Reads a threshold written as a number 0 (FATAL) to 5 (TRACE) or as a name in any case; undefined for anything else. */
export function parseLogLevel(value: string | number): LogLevel | undefined {
  const text = String(value).trim().toLowerCase();
  if (/^\d$/.test(text)) return NAMES[Number(text)];
  if (text === 'disabled') return 'disabled';
  if (text === 'warn') return 'warning';
  return NAMES.find((name) => name === text);
}
