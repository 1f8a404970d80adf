import { defineOptions, hookOption, hookSettings } from '@wrkz/service-kit';

const group = 'Notification hooks';

/** Who is told of events, one by one (docs/operations/notifications.md#hooks). */
export const NOTIFY = defineOptions([
  hookOption({
    name: 'block-notify',
    group,
    help: 'URL to POST to, or command to run (%s hash, %h height), for each new block of the main chain; may be repeated',
  }),
  hookOption({
    name: 'reorg-notify',
    group,
    help:
      'The same for each reorganisation: %s split height, %h new height, %n new blocks, %d discarded blocks; may be ' +
      'repeated',
  }),
  hookOption({
    name: 'tx-notify',
    group,
    help: 'The same for each transaction that enters the pool: %s hash; may be repeated',
  }),
  hookOption({
    name: 'double-spend-notify',
    group,
    help:
      'The same for each valid transaction refused because a pooled one spends the same output: %s pooled hash, ' +
      '%r refused hash, %k key image; may be repeated',
  }),
  {
    name: 'notify-durable',
    type: 'boolean',
    default: false,
    group,
    help: 'Miss nothing: tell from the journal, try again until it is taken, go on where it was after a restart',
  },
  ...hookSettings({
    group,
    duringSync: 'Tell of events while synchronizing too (durable hooks: --events-during-sync)',
  }),
]);
