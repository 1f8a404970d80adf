import { networkNames } from '@wrkz/core-types';
import { checkBindAddress, defineOptions, parseLogLevel } from '@wrkz/service-kit';

/** Every start-up option of the daemon, declared once: command line, file, help and documents are printed from here. */

const NETWORK = 'Network and storage';
const RPC = 'RPC';
const P2P = 'Peers';
const ACTIONS = 'Actions (one start)';
const LOGGING = 'Console and logging';

const PORT = { min: 0, max: 65_535 } as const;

export const DAEMON_OPTIONS = defineOptions([
  {
    name: 'network',
    type: 'string',
    default: 'mainnet',
    choices: networkNames,
    group: NETWORK,
    help: 'The network to join; written into the database, which refuses another one later',
  },
  { name: 'simnet', type: 'boolean', default: false, group: NETWORK, help: 'Short for --network simnet' },
  {
    name: 'data-dir',
    type: 'string',
    default: undefined,
    defaultText: 'a folder of its own in the home directory',
    group: NETWORK,
    help: 'Where the chain and the peer lists are kept; simnet and devnet use a sub-folder of their name',
  },
  {
    name: 'load-checkpoints',
    type: 'string',
    default: 'default',
    group: NETWORK,
    help: 'Checkpoints to trust: a file of lines "index,hash", "default" for the built-in ones, empty for none',
  },

  {
    name: 'rpc-bind-ip',
    type: 'string',
    default: '127.0.0.1',
    group: RPC,
    help: 'The address the RPC listens on',
    validate: (value) => checkBindAddress(String(value)),
  },
  {
    name: 'rpc-bind-port',
    type: 'number',
    default: undefined,
    defaultText: 'the port of the network',
    ...PORT,
    group: RPC,
    help: 'The port the RPC listens on; 0 takes a free one',
  },
  {
    name: 'rpc-max-rpm',
    type: 'number',
    default: 240,
    min: 0,
    group: RPC,
    help: 'Requests a minute from one client address, loopback exempt; 0 for no limit',
  },
  {
    name: 'daemon-mode',
    type: 'string',
    default: 'standard',
    choices: ['standard', 'explorer'],
    group: RPC,
    help: 'Whether the explorer methods are served too',
  },

  {
    name: 'p2p-bind-ip',
    type: 'string',
    default: '0.0.0.0',
    group: P2P,
    help: 'The address peers connect to',
    validate: (value) => checkBindAddress(String(value)),
  },
  {
    name: 'p2p-bind-port',
    type: 'number',
    default: undefined,
    defaultText: 'the port of the network',
    ...PORT,
    group: P2P,
    help: 'The port peers connect to; 0 takes a free one',
  },
  {
    name: 'p2p-external-port',
    type: 'number',
    default: 0,
    ...PORT,
    group: P2P,
    help: 'The port told to peers when a router forwards another one; 0 tells the listening port',
  },
  {
    name: 'hide-my-port',
    type: 'boolean',
    default: false,
    group: P2P,
    help: 'Tell no port: nobody is invited to connect',
  },
  {
    name: 'allow-local-ip',
    type: 'boolean',
    default: false,
    group: P2P,
    help: 'Take private and loopback addresses into the peer lists',
  },
  {
    name: 'seed-node',
    type: 'list',
    default: [],
    group: P2P,
    help: 'A node to ask for addresses, host or host:port; may be repeated',
  },
  {
    name: 'add-peer',
    type: 'list',
    default: [],
    group: P2P,
    help: 'An address for the peer list, IPv4[:port]; may be repeated',
  },
  {
    name: 'add-priority-node',
    type: 'list',
    default: [],
    group: P2P,
    help: 'A node to stay connected to, IPv4[:port]; may be repeated',
  },
  {
    name: 'add-exclusive-node',
    type: 'list',
    default: [],
    group: P2P,
    help: 'Connect to these nodes and to no other, IPv4[:port]; may be repeated',
  },

  {
    name: 'import-blockchain',
    type: 'boolean',
    default: false,
    oneShot: true,
    group: ACTIONS,
    help: 'Read blocks from the dump file, check and store them, and exit; continues where an earlier import ended',
  },
  {
    name: 'export-blockchain',
    type: 'boolean',
    default: false,
    oneShot: true,
    group: ACTIONS,
    help: 'Write the chain into the dump file and exit',
  },
  {
    name: 'max-export-blocks',
    type: 'number',
    default: 0,
    min: 0,
    oneShot: true,
    group: ACTIONS,
    help: 'The most blocks an export writes, at least 1000; 0 for all',
  },
  {
    name: 'dump-file',
    type: 'string',
    default: 'blockchain.dump',
    oneShot: true,
    group: ACTIONS,
    help: 'The file of an import or export',
  },
  {
    name: 'verify',
    type: 'boolean',
    default: false,
    oneShot: true,
    group: ACTIONS,
    help: 'Recompute the stored chain, tell what was found and its digest, and exit',
  },

  {
    name: 'no-console',
    type: 'boolean',
    default: false,
    group: LOGGING,
    help: 'Do not read commands from the terminal',
  },
  { name: 'no-zmq', type: 'boolean', default: false, group: LOGGING, help: 'Do not publish events over ZMQ' },
  {
    name: 'log-level',
    type: 'string',
    default: '2',
    validate: levelComplaint,
    group: LOGGING,
    help: '0 FATAL, 1 ERROR, 2 WARNING, 3 INFO, 4 DEBUG, 5 TRACE, or the name',
  },
  {
    name: 'log-file',
    type: 'string',
    default: 'WRKZCoind.log',
    group: LOGGING,
    help: 'Log lines are appended to this file too; empty for none',
  },
]);

function levelComplaint(value: string | number | boolean): string | undefined {
  const known = typeof value === 'string' && parseLogLevel(value) !== undefined;
  return known ? undefined : 'expected a level 0 to 5 or its name';
}
