import { type LogLevelName, LOG_LEVELS } from '@wrkz/service-kit';
import type { ConsoleCommand } from '../command';

const USE = 'use: set_log <log_level_number_0-5>\n';
const NAMES = Object.keys(LOG_LEVELS) as LogLevelName[];

export const setLog: ConsoleCommand = {
  name: 'set_log',
  help: 'set_log <level> - Change current log level, <level> is a number 0-5 or a name (fatal..trace)',
  words: NAMES,
  run: ({ logger }, [word, ...more]) => {
    if (word === undefined || more.length > 0) return USE;
    const isNumber = /^\d{1,5}$/.test(word);
    const level = NAMES.find((name) => (isNumber ? LOG_LEVELS[name] === Number(word) : name === word.toLowerCase()));
    if (level === undefined) return `wrong number ${isNumber ? 'range' : 'format'}, ${USE}`;
    logger.setLevel(level);
    return `log level set to ${level.toUpperCase()} (${LOG_LEVELS[level]})\n`;
  },
};

const SHOWN = 20;
const MOST_LINES = 200;

export const logTail: ConsoleCommand = {
  name: 'log_tail',
  help: 'log_tail [count] - Print the last log lines of this daemon (default 20, max 200)',
  run: ({ tail }, [word, ...more]) => {
    const count = word === undefined ? SHOWN : /^\d{1,9}$/.test(word) ? Number(word) : 0;
    if (count === 0 || more.length > 0) return 'use: log_tail [count], 1 to 200\n';
    const lines = tail.last(Math.min(count, MOST_LINES));
    return lines.length === 0 ? 'No log lines have been kept yet.\n' : `${lines.join('\n')}\n`;
  },
};
