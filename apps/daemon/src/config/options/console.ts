import { inGroup, loggingOptions, NODE_LOG_SCALE } from '@wrkz/service-kit';

export const CONSOLE = inGroup('Console and logging', [
  {
    name: 'no-console',
    default: false,
    help: 'Read no commands from the terminal or the standard input',
  },
  {
    name: 'attach',
    type: 'string',
    default: undefined,
    oneShot: true,
    help: 'Open the console of a running daemon over this local socket, start no node; the same as: attach <socket>',
  },
  ...loggingOptions({
    scale: NODE_LOG_SCALE,
    level: '2',
    file: 'WRKZCoind.log',
    fileHelp: 'Also append log lines to this file; empty for none',
  }),
]);
