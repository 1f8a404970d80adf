import { defineOptions } from '@wrkz/service-kit';

const group = 'Console and logging';

export const CONSOLE = defineOptions([
  {
    name: 'no-console',
    type: 'boolean',
    default: false,
    group,
    help: 'Read no commands from the terminal or the standard input',
  },
  {
    name: 'attach',
    type: 'string',
    default: undefined,
    oneShot: true,
    group,
    help: 'Open a console of the daemon that runs at this local socket instead of a node; the same as: attach <socket>',
  },
]);
