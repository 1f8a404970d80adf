import { defineOptions } from '@wrkz/service-kit';

const group = 'Synchronisation';

export const SYNC = defineOptions([
  {
    name: 'transaction-validation-threads',
    type: 'number',
    default: 0,
    defaultText: 'one for each of the hardware',
    min: 0,
    max: 1024,
    group,
    help: 'Native threads that check proofs of work and signatures; 0 for one for each of the hardware',
  },
  {
    name: 'sync-max-peers',
    type: 'number',
    default: 3,
    min: 1,
    max: 1000,
    group,
    help: 'Peers that blocks are fetched from at the same time',
  },
  {
    name: 'sync-peer-failure-threshold',
    type: 'number',
    default: 2,
    min: 0,
    group,
    help: 'Failures after which a peer loses its place among them; 0 is taken as 1',
  },
  {
    name: 'sync-batch-min',
    type: 'number',
    default: 120,
    min: 1,
    group,
    help: 'Blocks of the first request to a peer, and of later ones at least unless they fail',
  },
  {
    name: 'sync-batch-max',
    type: 'number',
    default: 600,
    min: 1,
    group,
    help: 'Blocks of a request to a peer that answers quickly; raised to --sync-batch-min when below it',
  },
  {
    name: 'block-sync-size',
    type: 'number',
    default: 600,
    min: 1,
    group,
    help: 'The most blocks of one request, whatever the other options say',
  },
  {
    name: 'block-sync-bytes',
    type: 'number',
    default: 16_777_216,
    min: 1,
    group,
    help: 'Bytes that one answer with blocks is planned to have, by the size of the last blocks; 2 MiB at least',
  },
]);
