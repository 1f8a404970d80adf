import { defineOptions, localSocketOptions } from '@wrkz/service-kit';

const group = 'Local socket';

export const IPC = defineOptions([
  ...localSocketOptions({ prefix: 'rpc', group, serves: 'Serve the RPC and the console on this socket as well' }),
  {
    name: 'rpc-ipc-require-token',
    type: 'boolean',
    default: false,
    group,
    help: 'Ask the access token of callers over the local socket, too',
  },
]);
