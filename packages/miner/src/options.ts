import {
  apiKeyOption,
  defineOptions,
  HASHING_THREADS,
  inGroup,
  loggingOptions,
  NODE_LOG_SCALE,
} from '@wrkz/service-kit';

/** Every start-up option of the miner. */
export const MINER_OPTIONS = defineOptions([
  ...inGroup('Work', [
    {
      name: 'address',
      type: 'string',
      default: undefined,
      help: 'Address that receives the block rewards (not an integrated address)',
    },
    {
      name: 'daemon',
      default: 'http://127.0.0.1:17856',
      help: 'Node to mine with: a URL or a local socket (path, @name or ipc://path)',
    },
    apiKeyOption({
      name: 'access-token',
      default: undefined,
      help: 'Access token of the node (sent as X-API-KEY)',
    }),
    {
      name: 'stratum',
      type: 'string',
      default: undefined,
      help: 'Mine with this stratum server (host:port) instead of a node',
    },
    {
      name: 'rig-id',
      default: '',
      help: 'Name of this machine for the stratum server',
    },
    HASHING_THREADS,
    {
      name: 'poll-interval',
      default: 2,
      min: 0.1,
      max: 60,
      fraction: true,
      help: 'Seconds between polls for the tip of the node',
    },
    {
      name: 'blocks',
      default: 0,
      min: 0,
      help: 'Stop after this number of accepted blocks (stratum: shares); 0 is no limit',
    },
  ]),
  ...inGroup('Logging', loggingOptions({ scale: NODE_LOG_SCALE, level: '3', file: undefined })),
]);
