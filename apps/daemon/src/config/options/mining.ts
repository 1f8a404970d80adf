import { bindAddressOption, defineOptions, ignoredOption, inGroup, portOption } from '@wrkz/service-kit';

const noEffect = 'nodes take no fee on this network';

export const MINING = defineOptions([
  ...inGroup('Node fee', [
    ignoredOption({ name: 'fee-address', default: '', noEffect }),
    ignoredOption({ name: 'fee-amount', default: 0, min: 0, noEffect }),
  ]),
  ...inGroup('Stratum', [
    portOption({
      name: 'stratum-bind-port',
      default: 0,
      min: 0,
      help: 'Port for stratum miners, by convention 17858; 0 for none',
    }),
    bindAddressOption({
      name: 'stratum-bind-ip',
      default: '127.0.0.1',
      help: 'Address for stratum miners; they need no password',
    }),
    {
      name: 'stratum-share-difficulty',
      default: 0,
      min: 0,
      help: 'Difficulty of shares; 0 for the network difficulty, so that miners submit only blocks',
    },
    {
      name: 'stratum-share-interval',
      default: 0,
      min: 0,
      max: 600,
      help: 'Target seconds between shares, to which the difficulty of each miner is adjusted; 0 for a fixed difficulty',
    },
    {
      name: 'stratum-max-connections',
      default: 32,
      min: 0,
      help: 'Maximum number of concurrent miners; 0 counts as 1',
    },
  ]),
]);
