import { bindAddressOption, inGroup, isIpv6Address, portOption } from '@wrkz/service-kit';

export const P2P = inGroup('Peers', [
  bindAddressOption({ name: 'p2p-bind-ip', default: '0.0.0.0', help: 'Address that peers connect to' }),
  portOption({
    name: 'p2p-bind-port',
    default: undefined,
    defaultText: 'the port of the network',
    min: 0,
    help: 'Port that peers connect to; 0 selects a free port',
  }),
  portOption({
    name: 'p2p-external-port',
    default: 0,
    min: 0,
    help: 'Port announced to peers if a router forwards a different one; 0 for the listening port',
  }),
  {
    name: 'p2p-bind-ipv6-address',
    default: '',
    help: 'Also listen for peers on this IPv6 address, :: for all; if that fails, the daemon logs a warning and continues',
    validate: (value) => (value === '' || isIpv6Address(String(value)) ? undefined : 'an IPv6 address is expected'),
  },
  portOption({
    name: 'p2p-bind-port-ipv6',
    default: 0,
    min: 0,
    help: 'Port on the IPv6 address; 0 for the value of --p2p-bind-port',
  }),
  {
    name: 'no-upnp',
    default: false,
    help: 'Request no port forwarding from the router; by default mainnet nodes request it over UPnP, test networks do not',
  },
  {
    name: 'out-peers',
    default: 15,
    min: 0,
    max: 10_000,
    help: 'Outgoing connections to maintain',
  },
  {
    name: 'in-peers',
    default: 15,
    min: 0,
    max: 10_000,
    help: 'Maximum number of incoming connections',
  },
  {
    name: 'p2p-reset-peerstate',
    default: false,
    help: 'Start with a new peer id and empty peer lists; bans are retained',
  },
  {
    name: 'ban-list',
    default: [],
    help: 'File with addresses and CIDR ranges to block, one per line; may be repeated',
  },
  {
    name: 'proxy',
    default: '',
    help: 'SOCKS5 proxy for all connections to peers, IP[:port], such as 127.0.0.1:9050 for Tor; implies --no-upnp and --hide-my-port',
  },
  {
    name: 'max-upload',
    default: 0,
    min: 0,
    help: 'Maximum bytes of old blocks to send to peers in 24 hours, 0 for no limit; the blocks of the last day are always sent',
  },
  {
    name: 'hide-my-port',
    default: false,
    help: 'Announce no port, so that peers do not connect to this node',
  },
  {
    name: 'allow-local-ip',
    default: false,
    help: 'Accept private and loopback addresses in the peer lists',
  },
  {
    name: 'seed-node',
    default: [],
    help: 'Node to request peer addresses from, host or host:port; may be repeated',
  },
  {
    name: 'no-default-seeds',
    default: false,
    help: 'Do not use the built-in seed nodes of the network',
  },
  {
    name: 'add-peer',
    default: [],
    help: 'Peer address to add to the peer list, IPv4[:port]; may be repeated',
  },
  {
    name: 'add-priority-node',
    default: [],
    help: 'Node to stay connected to, IPv4[:port]; may be repeated',
  },
  {
    name: 'add-exclusive-node',
    default: [],
    help: 'Connect only to the nodes given by this option, IPv4[:port]; may be repeated',
  },
]);

export const SYNC = inGroup('Synchronisation', [
  {
    name: 'transaction-validation-threads',
    default: 0,
    defaultText: 'one per hardware thread',
    min: 0,
    max: 1024,
    help: 'Native threads that check proofs of work and signatures; 0 for one per hardware thread',
  },
  {
    name: 'sync-max-peers',
    default: 3,
    min: 1,
    max: 1000,
    help: 'Number of peers from which blocks are downloaded at the same time',
  },
  {
    name: 'sync-peer-failure-threshold',
    default: 2,
    min: 0,
    help: 'Failures after which a download peer is replaced; 0 counts as 1',
  },
  {
    name: 'sync-batch-min',
    default: 120,
    min: 1,
    help: 'Blocks in the first request to a peer, and the minimum of later requests unless they fail',
  },
  {
    name: 'sync-batch-max',
    default: 600,
    min: 1,
    help: 'Blocks per request to a peer that responds quickly; values below --sync-batch-min are raised to it',
  },
  {
    name: 'block-sync-size',
    default: 600,
    min: 1,
    help: 'Maximum number of blocks per request, regardless of the other options',
  },
  {
    name: 'block-sync-bytes',
    default: 16_777_216,
    min: 1,
    help: 'Target size of a response with blocks in bytes, estimated from the last blocks; at least 2 MiB',
  },
]);
