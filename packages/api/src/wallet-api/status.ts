import { z } from 'zod';
import { integer, uint64 } from '../scalars';

/** One node of the list. */
const listedNode = z.object({ name: z.string(), isInUse: z.boolean(), failure: z.string().optional() });

/** GET /status. Heights are indexes of blocks; those of the node are 0 until it first answered. */
export const statusAnswer = z.object({
  daemonLiteStartHeight: integer,
  hashrate: uint64,
  isDaemonSynced: z.boolean(),
  isOutOfSync: z.boolean(),
  isSyncStalledByLiteNode: z.boolean(),
  isViewWallet: z.boolean(),
  isWalletSynced: z.boolean(),
  localDaemonBlockCount: integer,
  networkBlockCount: integer,
  /** The nodes in their order, and which of them serves. */
  nodes: z.array(listedNode),
  /** The last time another node took over: its names, why, and unix seconds. */
  nodeSwitch: z.object({ from: z.string(), to: z.string(), reason: z.string(), timestamp: integer }).optional(),
  peerCount: integer,
  /** Why the memory of idempotency keys does not reach back to the first send; left out while it does. */
  sideFileLost: z.enum(['missing', 'damaged', 'foreign']).optional(),
  subWalletCount: integer,
  syncGapCoveredTo: integer,
  syncGapDaemonServesFrom: integer,
  /** Why the wallet does not come closer to the tip; left out while nothing holds it up. */
  syncStall: z.object({ code: z.string(), message: z.string() }).optional(),
  /** Blocks that could not be read since the wallet was opened, and were passed. */
  unreadableBlocks: integer,
  walletBlockCount: integer,
});
