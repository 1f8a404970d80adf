import { defineOptions } from '@wrkz/service-kit';

const group = 'Node fee';
const noEffect = 'nodes take no fee on this network';

export const FEE = defineOptions([
  { name: 'fee-address', type: 'string', default: '', noEffect, group, help: `Accepted; ${noEffect}` },
  { name: 'fee-amount', type: 'number', default: 0, min: 0, noEffect, group, help: `Accepted; ${noEffect}` },
]);
