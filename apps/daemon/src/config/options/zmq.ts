import { defineOptions } from '@wrkz/service-kit';
import { checkEndpoint } from '../../events/zmq/endpoint';

const group = 'ZMQ';

export const ZMQ = defineOptions([
  {
    name: 'zmq-pub',
    type: 'string',
    default: undefined,
    defaultText: 'tcp://127.0.0.1 and the port of the network',
    group,
    help: 'Publish events over ZMQ here: tcp://address:port or ipc://path; empty disables it',
    validate: (value) => checkEndpoint(String(value)),
  },
  { name: 'no-zmq', type: 'boolean', default: false, group, help: 'Publish nothing over ZMQ' },
]);
