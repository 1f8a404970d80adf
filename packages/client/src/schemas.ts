import { daemonApi, integer } from '@wrkz/api';
import { z } from 'zod';

/**
 * The fields of `/info` that are used. Nodes of July 2025 lack the last fields, third-party caches add one
 * (docs/protocol/wallet-sync.md#older-nodes).
 */
export const anyNodeInfo = daemonApi.infoResponse
  .pick({
    height: true,
    network_height: true,
    incoming_connections_count: true,
    outgoing_connections_count: true,
    difficulty: true,
    status: true,
  })
  .extend({
    synced: z.boolean().optional(),
    top_block_hash: z.string().optional(),
    version: z.string().max(100).optional(),
    lite_start_height: integer.optional(),
    sync_features: z.array(z.string().max(100)).max(100).optional(),
    compression: z.string().max(20).optional(),
    isCacheApi: z.boolean().optional(),
    heavier_branch: z.object({ height: integer, hash: z.string().max(64) }).nullish(),
  });

/** The fields of a JSON-RPC response with a block header. */
export const headerEnvelope = z.object({
  result: z
    .object({ block_header: daemonApi.blockHeaderObject.pick({ hash: true, height: true, orphan_status: true }) })
    .optional(),
  error: z.object({ code: z.bigint(), message: z.string() }).optional(),
});

/** Nodes of 2025 return no hash for an accepted transaction. */
export const sendTransactionResponse = daemonApi.sendRawTransactionResponse.extend({ error: z.string().default('') });

export const nodeBlocks = daemonApi.rawBlocksResponse.pick({ items: true });

export const nodePool = daemonApi.poolChangesResponse.pick({ addedTxs: true, deletedTxsIds: true });
