import { apiKeyOption, defineOptions, loggingOptions, NODE_LOG_SCALE, type OptionSpec } from '@wrkz/service-kit';
import { DATABASE } from '../config/options/database';
import { IPC } from '../config/options/ipc';
import { NETWORK_AND_STORAGE } from '../config/options/network-and-storage';
import { RPC } from '../config/options/rpc';

const node = 'Node';

/** The options of these names; they mean here what they mean for a node. */
function chosen<const S extends readonly OptionSpec[], const Name extends S[number]['name']>(
  specs: S,
  names: readonly Name[],
): Extract<S[number], { readonly name: Name }>[] {
  return specs.filter(({ name }) => (names as readonly string[]).includes(name)) as Extract<
    S[number],
    { readonly name: Name }
  >[];
}

/** Every option of `wrkz-daemon serve-rpc`. Those that a node has too bear its names, so that one file may serve both. */
export const SERVE_RPC_OPTIONS = defineOptions([
  ...chosen(NETWORK_AND_STORAGE, ['network', 'simnet', 'data-dir']),
  {
    name: 'node-socket',
    type: 'string',
    default: '',
    group: node,
    help: "The node's local socket (its --rpc-ipc-path): an absolute path, @name or ipc://path",
  },
  apiKeyOption({
    name: 'node-access-token',
    default: '',
    group: node,
    help: 'The access token, for a node that asks it on its socket too (--rpc-ipc-require-token)',
  }),
  {
    name: 'node-timeout',
    type: 'number',
    default: 30,
    min: 1,
    max: 3600,
    group: node,
    help: 'Seconds in which the node must say something of an answer that it was asked for',
  },
  ...chosen(DATABASE, ['db-read-buffer-size', 'db-threads']),
  ...chosen(RPC, [
    'rpc-bind-ip',
    'rpc-bind-port',
    'rpc-use-ipv6',
    'rpc-bind-ipv6-address',
    'daemon-mode',
    'rpc-no-mining',
    'rpc-access-token',
    'rpc-access-token-file',
    'enable-cors',
    'rpc-allowed-host',
    'rpc-trust-proxy',
    'rpc-max-rpm',
    'rpc-max-connections-per-ip',
    'rpc-max-body-bytes',
    'rpc-read-timeout',
    'rpc-write-timeout',
    'rpc-max-block-count',
    'rpc-max-global-index-range',
    'rpc-sync-cache-size',
    'enable-metrics',
    'enable-health',
  ]),
  ...IPC,
  ...loggingOptions({
    group: 'Logging',
    scale: NODE_LOG_SCALE,
    level: '2',
    file: '',
    fileHelp: 'Log lines are appended to this file too; empty for none',
  }),
]);
