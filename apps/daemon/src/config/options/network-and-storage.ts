import { networkNames } from '@wrkz/core-types';
import { defineOptions } from '@wrkz/service-kit';

const group = 'Network and storage';

export const NETWORK_AND_STORAGE = defineOptions([
  {
    name: 'network',
    type: 'string',
    default: 'mainnet',
    choices: networkNames,
    group,
    help: 'The network to join; written into the database, which refuses another one later',
  },
  { name: 'simnet', type: 'boolean', default: false, group, help: 'Short for --network simnet' },
  {
    name: 'data-dir',
    type: 'string',
    default: undefined,
    defaultText: 'a folder of its own in the home directory',
    group,
    help: 'Where the chain and the peer lists are kept; simnet and devnet use a sub-folder of their name',
  },
  {
    name: 'load-checkpoints',
    type: 'string',
    default: 'default',
    group,
    help: 'Checkpoints to trust: a file of lines "index,hash", "default" for the built-in ones, empty for none',
  },
]);
