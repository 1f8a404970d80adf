import { daemonApi, integer } from '@wrkz/api';
import { z } from 'zod';

/**
 * What is read of `/info`. Nodes of July 2025 lack the last members, caches of others add one
 * (docs/protocol/wallet-sync.md#older-nodes).
 */
export const anyNodeInfo = daemonApi.infoAnswer
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

/** The members of a JSON-RPC answer that carry a block header. */
export const headerEnvelope = z.object({
  result: z
    .object({ block_header: daemonApi.blockHeaderObject.pick({ hash: true, height: true, orphan_status: true }) })
    .optional(),
  error: z.object({ code: z.bigint(), message: z.string() }).optional(),
});

/** Nodes of 2025 answer no hash with a transaction that they take. */
export const sendAnswer = daemonApi.sendRawTransactionAnswer.extend({ error: z.string().default('') });

export const nodeBlocks = daemonApi.rawBlocksAnswer.pick({ items: true });

export const nodePool = daemonApi.poolChangesAnswer.pick({ addedTxs: true, deletedTxsIds: true });
