import type { LogLevelName } from './levels';

/** Facts beside a message, by name. */
export type LogFields = Readonly<Record<string, unknown>>;

/** One thing that was logged, as it travels from the logger to where it is written. */
export interface LogEntry {
  readonly time: Date;
  readonly level: LogLevelName;
  /** Dotted names of the part that speaks, e.g. `p2p.sync`; empty for the program itself. */
  readonly part: string;
  readonly message: string;
  readonly fields?: LogFields | undefined;
}

/** How entries become lines. */
export type LogFormat = 'text' | 'json';
