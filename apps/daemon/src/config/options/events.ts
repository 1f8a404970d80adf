import { defineOptions, hookOption, hookSettings, inGroup } from '@wrkz/service-kit';
import { checkEndpoint } from '../../events/zmq';

/** The event journal and everything that delivers events: docs/operations/events.md, docs/operations/notifications.md. */
export const EVENTS = defineOptions([
  ...inGroup('Events', [
    {
      name: 'events-keep',
      default: 30,
      min: 0,
      max: 36_500,
      help: 'Days for which the journal retains events, relative to the newest block; 0 for no limit',
    },
    {
      name: 'events-during-sync',
      default: false,
      help: 'Also write the blocks of the first synchronization into the journal',
    },
    {
      name: 'events-max-clients',
      default: 128,
      min: 1,
      max: 10_000,
      help: 'Maximum number of concurrent GET /events requests that wait for events',
    },
  ]),
  ...inGroup('Notification hooks', [
    hookOption({
      name: 'block-notify',
      help: 'URL to POST to, or command to run (%s hash, %h height), for each new block of the main chain; may be repeated',
    }),
    hookOption({
      name: 'reorg-notify',
      help:
        'The same for each reorganisation: %s split height, %h new height, %n new blocks, %d discarded blocks; may be ' +
        'repeated',
    }),
    hookOption({
      name: 'tx-notify',
      help: 'The same for each transaction that enters the pool: %s hash; may be repeated',
    }),
    hookOption({
      name: 'double-spend-notify',
      help:
        'The same for each valid transaction refused because a pooled one spends the same output: %s pooled hash, ' +
        '%r refused hash, %k key image; may be repeated',
    }),
    {
      name: 'notify-durable',
      default: false,
      help: 'Lose no event: read the journal, retry until the receiver confirms, resume after a restart',
    },
    ...hookSettings('Notify during a synchronization too (durable hooks: --events-during-sync)'),
  ]),
  ...inGroup('ZMQ', [
    {
      name: 'zmq-pub',
      type: 'string',
      default: undefined,
      defaultText: 'tcp://127.0.0.1 and the port of the network',
      help: 'ZMQ endpoint for published events: tcp://address:port or ipc://path; empty disables it',
      validate: (value) => checkEndpoint(String(value)),
    },
    { name: 'no-zmq', default: false, help: 'Publish nothing over ZMQ' },
  ]),
  ...inGroup('WebSocket', [
    {
      name: 'enable-websocket',
      default: false,
      help: 'Serve events over WebSocket at GET /ws of the RPC port',
    },
    {
      name: 'ws-max-clients',
      default: 128,
      min: 1,
      max: 10_000,
      help: 'Maximum number of concurrent /ws clients',
    },
    {
      name: 'ws-max-clients-per-ip',
      default: 4,
      min: 0,
      max: 10_000,
      help: 'Maximum number of concurrent /ws clients per address, loopback exempt; 0 for no limit',
    },
  ]),
]);
