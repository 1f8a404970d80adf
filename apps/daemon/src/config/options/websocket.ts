import { defineOptions } from '@wrkz/service-kit';

const group = 'WebSocket';

export const WEBSOCKET = defineOptions([
  { name: 'enable-websocket', type: 'boolean', default: false, group, help: 'Serve events at GET /ws of the RPC' },
  {
    name: 'ws-max-clients',
    type: 'number',
    default: 128,
    min: 1,
    max: 10_000,
    group,
    help: 'Clients of /ws at once',
  },
  {
    name: 'ws-max-clients-per-ip',
    type: 'number',
    default: 4,
    min: 0,
    max: 10_000,
    group,
    help: 'Clients of /ws at once from one address, loopback exempt; 0 for no cap',
  },
]);
