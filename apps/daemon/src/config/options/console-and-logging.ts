import { defineOptions, loggingOptions, NODE_LOG_SCALE } from '@wrkz/service-kit';

const group = 'Console and logging';

export const CONSOLE_AND_LOGGING = defineOptions([
  ...loggingOptions({
    group,
    scale: NODE_LOG_SCALE,
    level: '2',
    file: 'WRKZCoind.log',
    fileHelp: 'Log lines are appended to this file too; empty for none',
  }),
]);
