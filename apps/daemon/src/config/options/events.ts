import { defineOptions } from '@wrkz/service-kit';

const group = 'Events';

/** The journal of events and who reads it (docs/operations/events.md). */
export const EVENTS = defineOptions([
  {
    name: 'events-keep',
    type: 'number',
    default: 30,
    min: 0,
    max: 36_500,
    group,
    help: 'Days for which the journal of events is kept; 0 for ever',
  },
  {
    name: 'events-during-sync',
    type: 'boolean',
    default: false,
    group,
    help: 'Write the blocks of the first synchronization into the journal too',
  },
  {
    name: 'events-max-clients',
    type: 'number',
    default: 128,
    min: 1,
    max: 10_000,
    group,
    help: 'Callers of GET /events that may wait for events at once',
  },
]);
