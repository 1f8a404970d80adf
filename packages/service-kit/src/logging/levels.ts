/** Severity by name; lower is graver. */
export const LOG_LEVELS = { fatal: 0, error: 1, warning: 2, info: 3, debug: 4, trace: 5 } as const;

export type LogLevelName = keyof typeof LOG_LEVELS;

/** A threshold: a level name, or `disabled` for no output at all. */
export type LogLevel = LogLevelName | 'disabled';

/** How a program's `--log-level` is written. Programs count differently, so each brings its scale. */
export interface LogScale {
  /** The names it takes, in any case. */
  readonly names: readonly LogLevel[];
  /** What the numbers from 0 on mean; none when it takes names alone. */
  readonly numbers?: readonly LogLevel[];
  /** Other words for a name. */
  readonly otherNames?: Readonly<Record<string, LogLevel>>;
  /** For `--help`. */
  readonly help: string;
  /** What is wrong with a value that it does not take. */
  readonly complaint: string;
}

/** The node's scale: 0 FATAL to 5 TRACE, or the name. */
export const NODE_LOG_SCALE: LogScale = {
  names: ['fatal', 'error', 'warning', 'info', 'debug', 'trace', 'disabled'],
  numbers: ['fatal', 'error', 'warning', 'info', 'debug', 'trace'],
  otherNames: { warn: 'warning' },
  help: '0 FATAL, 1 ERROR, 2 WARNING, 3 INFO, 4 DEBUG, 5 TRACE, or the name',
  complaint: 'expected a level 0 to 5 or its name',
};

/** Reads a threshold as the scale writes it; undefined for anything else. */
export function parseLogLevel(value: string | number, scale: LogScale = NODE_LOG_SCALE): LogLevel | undefined {
  const text = String(value).trim().toLowerCase();
  if (/^\d$/.test(text)) return scale.numbers?.[Number(text)];
  return scale.names.find((name) => name === text) ?? scale.otherNames?.[text];
}
