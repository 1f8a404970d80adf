import { z } from 'zod';
import { hash, integer, statusOk } from '../../scalars';

const text = (description: string): z.ZodOptional<z.ZodString> => z.string().meta({ description }).optional();

/** The query of `/events`: numbers as decimal digits. */
export const eventsQuery = z.object({
  after: text('The number of the last event known; 0 for all that are kept; left out: only what happens from now on'),
  topics: text('Names of topics, with commas between them; left out: all'),
  limit: text('The most events of one answer, 1 to 1000; left out: 100'),
  wait: text('Seconds to wait for an event when there is none, 0 to 60; left out: 0'),
});

const event = <T extends string, D extends z.ZodObject>(topic: T, data: D) =>
  z.object({
    topic: z.literal(topic),
    number: integer.meta({ description: 'Only grows; numbers may be left out' }),
    time: integer.meta({ description: 'Unix milliseconds at which it was written down' }),
    data,
  });

const hashes = z.array(hash);

/** An event as `/events` gives it, and as the data of a server-sent one. */
export const nodeEvent = z.union([
  event(
    'block',
    z.object({
      height: integer.meta({ description: 'An index' }),
      hash,
      timestamp: integer.meta({ description: 'Of the block, Unix seconds' }),
      transaction_hashes: hashes.meta({ description: 'The coinbase first' }),
      reorganised: z.literal(true).optional().meta({ description: 'A reorganisation brought it, which stands before' }),
    }),
  ),
  event('alternative', z.object({ height: integer, hash })),
  event(
    'reorganisation',
    z.object({
      split_height: integer.meta({ description: 'Index of the first block that was replaced' }),
      new_height: integer.meta({ description: 'Index of the new tip' }),
      new_blocks: integer,
      discarded_blocks: integer,
      common_root_height: integer.meta({ description: 'Index of the highest block that stayed' }),
      common_root_hash: hash,
      hashes: hashes.meta({ description: 'Of the new blocks, ascending' }),
      discarded_hashes: hashes.meta({ description: 'Ascending' }),
    }),
  ),
  event('tx', z.object({ hash })),
  event(
    'damage',
    z.object({
      page: integer.meta({ description: 'A page of the chain database that does not fit its checksum' }),
      table: z.string().optional(),
      first_height: integer.optional().meta({ description: 'The lowest block with a row on the page' }),
      last_height: integer.optional(),
      repaired: z.boolean().meta({ description: 'Whether blocks from peers repaired the page' }),
    }),
  ),
  event('pool-removed', z.object({ hashes, reason: z.enum(['InBlock', 'Outdated', 'NotActual', 'NotKept']) })),
]);

/** The answer of `/events`. */
export const eventsAnswer = z.object({
  events: z.array(nodeEvent).meta({ description: 'Ascending' }),
  journal: z.string().meta({ description: 'Names the journal; another name means other numbers' }),
  kept_after: integer.meta({ description: 'Events up to this number are no longer kept' }),
  latest: integer.meta({ description: 'The number of the newest event' }),
  next: integer.meta({ description: 'What to send as after next' }),
  status: statusOk,
});
