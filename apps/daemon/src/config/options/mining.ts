import { bindAddressOption, defineOptions, portOption } from '@wrkz/service-kit';

const noEffect = 'nodes take no fee on this network';

export const MINING = defineOptions([
  { name: 'fee-address', type: 'string', default: '', noEffect, group: 'Node fee', help: `Accepted; ${noEffect}` },
  {
    name: 'fee-amount',
    type: 'number',
    default: 0,
    min: 0,
    noEffect,
    group: 'Node fee',
    help: `Accepted; ${noEffect}`,
  },
  portOption({
    name: 'stratum-bind-port',
    default: 0,
    min: 0,
    group: 'Stratum',
    help: 'The port for miners over stratum, by convention 17858; 0 for none',
  }),
  bindAddressOption({
    name: 'stratum-bind-ip',
    default: '127.0.0.1',
    group: 'Stratum',
    help: 'The address for miners over stratum; they need no password',
  }),
  {
    name: 'stratum-share-difficulty',
    type: 'number',
    default: 0,
    min: 0,
    group: 'Stratum',
    help: 'What shares must meet; 0 for the difficulty of the network, so that only blocks are reported',
  },
  {
    name: 'stratum-share-interval',
    type: 'number',
    default: 0,
    min: 0,
    max: 600,
    group: 'Stratum',
    help: 'Seconds between the shares of a miner, to which its share difficulty is adapted; 0 keeps it fixed',
  },
  {
    name: 'stratum-max-connections',
    type: 'number',
    default: 32,
    min: 0,
    group: 'Stratum',
    help: 'Miners at once; 0 counts as 1',
  },
]);
