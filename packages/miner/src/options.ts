import { apiKeyOption, defineOptions, loggingOptions, NODE_LOG_SCALE } from '@wrkz/service-kit';

const WORK = 'Work';
const LOGGING = 'Logging';

/** Every start-up option of the miner. */
export const MINER_OPTIONS = defineOptions([
  {
    name: 'address',
    type: 'string',
    default: undefined,
    group: WORK,
    help: 'The plain address that found blocks pay to',
  },
  {
    name: 'daemon',
    type: 'string',
    default: 'http://127.0.0.1:17856',
    group: WORK,
    help: 'The node to mine with: a URL, or its local socket as a path, @name or ipc://path',
  },
  apiKeyOption({
    name: 'access-token',
    default: undefined,
    group: WORK,
    help: 'What the node asks for as X-API-KEY',
  }),
  {
    name: 'stratum',
    type: 'string',
    default: undefined,
    group: WORK,
    help: 'Mine over stratum with this host:port instead of asking a node for templates',
  },
  {
    name: 'rig-id',
    type: 'string',
    default: '',
    group: WORK,
    help: 'What this machine calls itself over stratum',
  },
  {
    name: 'threads',
    type: 'number',
    default: 0,
    min: 0,
    max: 1024,
    defaultText: 'all hardware threads',
    group: WORK,
    help: 'Hashing threads; 0 is one per hardware thread',
  },
  {
    name: 'poll-interval',
    type: 'number',
    default: 2,
    min: 0.1,
    max: 60,
    fraction: true,
    group: WORK,
    help: 'Seconds after which the node is asked again for its tip',
  },
  {
    name: 'blocks',
    type: 'number',
    default: 0,
    min: 0,
    group: WORK,
    help: 'Stop after so many accepted blocks (over stratum: shares); 0 to go on',
  },
  ...loggingOptions({
    group: LOGGING,
    scale: NODE_LOG_SCALE,
    level: '3',
    file: undefined,
    fileHelp: 'Append log lines to this file too',
  }),
]);
