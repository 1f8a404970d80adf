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
    help: 'Address that receives the block rewards (not an integrated address)',
  },
  {
    name: 'daemon',
    type: 'string',
    default: 'http://127.0.0.1:17856',
    group: WORK,
    help: 'Node to mine with: a URL or a local socket (path, @name or ipc://path)',
  },
  apiKeyOption({
    name: 'access-token',
    default: undefined,
    group: WORK,
    help: 'Access token of the node (sent as X-API-KEY)',
  }),
  {
    name: 'stratum',
    type: 'string',
    default: undefined,
    group: WORK,
    help: 'Mine with this stratum server (host:port) instead of a node',
  },
  {
    name: 'rig-id',
    type: 'string',
    default: '',
    group: WORK,
    help: 'Name of this machine for the stratum server',
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
    help: 'Seconds between polls for the tip of the node',
  },
  {
    name: 'blocks',
    type: 'number',
    default: 0,
    min: 0,
    group: WORK,
    help: 'Stop after this number of accepted blocks (stratum: shares); 0 is no limit',
  },
  ...loggingOptions({
    group: LOGGING,
    scale: NODE_LOG_SCALE,
    level: '3',
    file: undefined,
    fileHelp: 'Also append log lines to this file',
  }),
]);
