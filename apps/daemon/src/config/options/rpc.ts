import { bindAddressOption, defineOptions, metricsOption, portOption } from '@wrkz/service-kit';

const group = 'RPC';

export const RPC = defineOptions([
  bindAddressOption({ name: 'rpc-bind-ip', default: '127.0.0.1', group, help: 'The address the RPC listens on' }),
  portOption({
    name: 'rpc-bind-port',
    default: undefined,
    defaultText: 'the port of the network',
    min: 0,
    group,
    help: 'The port the RPC listens on; 0 takes a free one',
  }),
  {
    name: 'rpc-max-rpm',
    type: 'number',
    default: 240,
    min: 0,
    group,
    help: 'Requests a minute from one client address, loopback exempt; 0 for no limit',
  },
  {
    name: 'daemon-mode',
    type: 'string',
    default: 'standard',
    choices: ['standard', 'explorer'],
    group,
    help: 'Whether the explorer methods are served too',
  },
  metricsOption({ name: 'enable-metrics', group, help: 'Serve GET /metrics for Prometheus' }),
]);
