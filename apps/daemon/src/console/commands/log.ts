import { Writable } from 'node:stream';
import { LOG_LEVELS, type LogLevelName } from '@wrkz/service-kit';
import type { ConsoleCommand } from '../command';

const USAGE = 'use: set_log <log_level_number_0-5>\n';
const LEVELS = Object.keys(LOG_LEVELS) as LogLevelName[];

export const setLog: ConsoleCommand = {
  name: 'set_log',
  help: 'set_log <level> - Change current log level, <level> is a number 0-5 or a name (fatal..trace)',
  words: LEVELS,
  run: ({ logger }, [word, ...more]) => {
    if (word === undefined || more.length > 0) return USAGE;
    const isNumber = /^\d{1,5}$/.test(word);
    const level = LEVELS.find((name) => (isNumber ? LOG_LEVELS[name] === Number(word) : name === word.toLowerCase()));
    if (level === undefined) return `wrong number ${isNumber ? 'range' : 'format'}, ${USAGE}`;
    logger.setLevel(level);
    return `log level set to ${level.toUpperCase()} (${LOG_LEVELS[level]})\n`;
  },
};

const DEFAULT_LINES = 20;
const MAX_LINES = 200;

export const logTail: ConsoleCommand = {
  name: 'log_tail',
  help: 'log_tail [count] - Print the last log lines of this daemon (default 20, max 200)',
  run: ({ tail }, [word, ...more]) => {
    const count = word === undefined ? DEFAULT_LINES : /^\d{1,9}$/.test(word) ? Number(word) : 0;
    if (count === 0 || more.length > 0) return 'use: log_tail [count], 1 to 200\n';
    const lines = tail.last(Math.min(count, MAX_LINES));
    return lines.length === 0 ? 'No log lines have been kept yet.\n' : `${lines.join('\n')}\n`;
  },
};

/** Ring buffer of the last log lines. A stream of the logger, like the log file. */
export class LogTail extends Writable {
  private readonly lines: string[] = [];

  constructor() {
    super({ decodeStrings: false });
  }

  /** The newest lines, oldest first. */
  last(count: number): string[] {
    return this.lines.slice(-count);
  }

  override _write(chunk: Buffer | string, _encoding: BufferEncoding, done: () => void): void {
    this.lines.push(...String(chunk).replace(/\n$/, '').split('\n'));
    this.lines.splice(0, this.lines.length - MAX_LINES);
    done();
  }
}
