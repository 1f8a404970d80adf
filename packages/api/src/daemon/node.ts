import { z } from 'zod';
import { addressText, hash, integer, statusOk, uint64 } from '../scalars';

/** `/height` and `/getheight`: block counts. Without a hash, because miners derived from Monero rely on its absence. */
export const heightResponse = z.object({ height: integer, network_height: integer, status: statusOk });

/** `/info` and `/getinfo` */
export const infoResponse = z.object({
  alt_blocks_count: integer,
  compression: z.enum(['gzip', 'none']),
  difficulty: uint64.meta({ description: 'Difficulty of the next block' }),
  grey_peerlist_size: integer,
  hashrate: uint64.meta({ description: 'Difficulty / block time' }),
  heavier_branch: z
    .object({ height: integer, hash })
    .optional()
    .meta({ description: 'A branch with more work that the node does not follow. Absent if there is none' }),
  height: integer.meta({ description: 'Block count: index of the top block + 1' }),
  incoming_connections_count: integer,
  last_known_block_index: integer.meta({ description: 'Block index' }),
  last_seed_bootstrap: integer.meta({ description: 'Unix seconds; 0 = never' }),
  lite: z.boolean(),
  lite_start_height: integer.meta({ description: '0 on a full node' }),
  major_version: integer.meta({ description: 'Version of the top block' }),
  minor_version: integer.meta({ description: 'Version of the top block' }),
  network_height: integer.meta({ description: 'Block count' }),
  outgoing_connections_count: integer,
  prune_capability_active: z.boolean(),
  prune_depth: integer.meta({ description: 'Sent by every node, pruned or not' }),
  pruned: z.boolean(),
  seed_nodes_count: integer,
  start_time: integer.meta({ description: 'Unix seconds' }),
  status: statusOk,
  supported_height: integer.meta({ description: 'Height of the last fork this version supports' }),
  sync_active_peers: integer,
  sync_avg_batch_size: integer,
  sync_demoted_peers: integer,
  sync_features: z.array(z.string()).meta({ description: 'Features of /getwalletsyncdata' }),
  synced: z.boolean(),
  top_block_hash: hash,
  tx_count: integer.meta({ description: 'Without coinbase transactions' }),
  tx_pool_size: integer,
  upgrade_heights: z.array(integer),
  version: z.string(),
  white_peerlist_size: integer,
});

/** `/fee` */
export const feeResponse = z.object({ address: addressText, amount: uint64, status: statusOk });

const endpoint = z.string().meta({ description: 'address:port, IPv6 in brackets' });

/** `/peers` */
export const peersResponse = z.object({ peers: z.array(endpoint), peers_gray: z.array(endpoint), status: statusOk });

/** `POST /console`, only on the local socket. */
export const consoleBody = z.object({
  command: z.string().meta({ description: 'A command line of the console' }),
});

export const consoleResponse = z.object({
  output: z.string().meta({ description: 'Output of the command' }),
  status: statusOk,
});

const text = (description: string): z.ZodOptional<z.ZodString> => z.string().meta({ description }).optional();

/** Query of `/events`. Numbers are decimal digits. */
export const eventsQuery = z.object({
  after: text('Number of the last event the client has. 0: all retained events. Default: only new events'),
  topics: text('Topics, separated by commas. Default: all'),
  limit: text('Max events in the response, 1 to 1000. Default: 100'),
  wait: text('Seconds to wait for an event if there is none, 0 to 60. Default: 0'),
});

const event = <T extends string, D extends z.ZodObject>(topic: T, data: D) =>
  z.object({
    topic: z.literal(topic),
    number: integer.meta({ description: 'Ascending, not always consecutive' }),
    time: integer.meta({ description: 'Unix milliseconds at which the event was written' }),
    data,
  });

const hashes = z.array(hash);

/** An event in `/events`, and the data of a server-sent event. */
export const nodeEvent = z.union([
  event(
    'block',
    z.object({
      height: integer.meta({ description: 'Block index' }),
      hash,
      timestamp: integer.meta({ description: 'Block timestamp, Unix seconds' }),
      transaction_hashes: hashes.meta({ description: 'Coinbase first' }),
      reorganised: z
        .literal(true)
        .optional()
        .meta({ description: 'Present if a reorganisation connected the block. Its event comes first' }),
    }),
  ),
  event('alternative', z.object({ height: integer, hash })),
  event(
    'reorganisation',
    z.object({
      split_height: integer.meta({ description: 'Index of the first replaced block' }),
      new_height: integer.meta({ description: 'Index of the new top block' }),
      new_blocks: integer,
      discarded_blocks: integer,
      common_root_height: integer.meta({ description: 'Index of the last common block' }),
      common_root_hash: hash,
      hashes: hashes.meta({ description: 'New blocks, ascending' }),
      discarded_hashes: hashes.meta({ description: 'Disconnected blocks, ascending' }),
    }),
  ),
  event('tx', z.object({ hash })),
  event(
    'damage',
    z.object({
      page: integer.meta({ description: 'Number of the database page whose checksum is wrong' }),
      table: z.string().optional(),
      first_height: integer.optional().meta({ description: 'The lowest block with a row on the page' }),
      last_height: integer.optional(),
      repaired: z
        .boolean()
        .meta({ description: 'False when the page is found, true in a second event after its repair' }),
    }),
  ),
  event('double-spend', z.object({ pooled_hash: hash, refused_hash: hash, key_image: hash })),
  event(
    'refused-branch',
    z.object({
      height: integer.meta({ description: 'Index of the refused block' }),
      hash,
      common_root_height: integer.meta({ description: 'Index of the last common block' }),
    }),
  ),
  event('pool-removed', z.object({ hashes, reason: z.enum(['InBlock', 'Outdated', 'NotActual', 'NotKept']) })),
]);

/** `/events` */
export const eventsResponse = z.object({
  events: z.array(nodeEvent).meta({ description: 'Ascending' }),
  journal: z.string().meta({ description: 'Id of the journal. Event numbers of another journal are unrelated' }),
  kept_after: integer.meta({ description: 'Events up to this number were deleted' }),
  latest: integer.meta({ description: 'Number of the newest event' }),
  next: integer.meta({ description: 'Value of `after` for the next request' }),
  status: statusOk,
});
