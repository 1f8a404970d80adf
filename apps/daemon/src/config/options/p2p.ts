import { bindAddressOption, defineOptions, portOption } from '@wrkz/service-kit';

const group = 'Peers';

export const P2P = defineOptions([
  bindAddressOption({ name: 'p2p-bind-ip', default: '0.0.0.0', group, help: 'The address peers connect to' }),
  portOption({
    name: 'p2p-bind-port',
    default: undefined,
    defaultText: 'the port of the network',
    min: 0,
    group,
    help: 'The port peers connect to; 0 takes a free one',
  }),
  portOption({
    name: 'p2p-external-port',
    default: 0,
    min: 0,
    group,
    help: 'The port told to peers when a router forwards another one; 0 tells the listening port',
  }),
  { name: 'hide-my-port', type: 'boolean', default: false, group, help: 'Tell no port: nobody is invited to connect' },
  {
    name: 'allow-local-ip',
    type: 'boolean',
    default: false,
    group,
    help: 'Take private and loopback addresses into the peer lists',
  },
  {
    name: 'seed-node',
    type: 'list',
    default: [],
    group,
    help: 'A node to ask for addresses, host or host:port; may be repeated',
  },
  {
    name: 'add-peer',
    type: 'list',
    default: [],
    group,
    help: 'An address for the peer list, IPv4[:port]; may be repeated',
  },
  {
    name: 'add-priority-node',
    type: 'list',
    default: [],
    group,
    help: 'A node to stay connected to, IPv4[:port]; may be repeated',
  },
  {
    name: 'add-exclusive-node',
    type: 'list',
    default: [],
    group,
    help: 'Connect to these nodes and to no other, IPv4[:port]; may be repeated',
  },
]);
