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
    help: 'Port for stratum miners, by convention 17858; 0 for none',
  }),
  bindAddressOption({
    name: 'stratum-bind-ip',
    default: '127.0.0.1',
    group: 'Stratum',
    help: 'Address for stratum miners; they need no password',
  }),
  {
    name: 'stratum-share-difficulty',
    type: 'number',
    default: 0,
    min: 0,
    group: 'Stratum',
    help: 'Difficulty of shares; 0 for the network difficulty, so that miners submit only blocks',
  },
  {
    name: 'stratum-share-interval',
    type: 'number',
    default: 0,
    min: 0,
    max: 600,
    group: 'Stratum',
    help: 'Target seconds between shares, to which the difficulty of each miner is adjusted; 0 for a fixed difficulty',
  },
  {
    name: 'stratum-max-connections',
    type: 'number',
    default: 32,
    min: 0,
    group: 'Stratum',
    help: 'Maximum number of concurrent miners; 0 counts as 1',
  },
]);
