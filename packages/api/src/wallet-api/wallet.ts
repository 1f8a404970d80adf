import { z } from 'zod';
import { integer, uint64 } from '../scalars';
import { key, nodeRequestFields, scanHeight, walletFields } from './common';

/** POST /wallet/open and POST /wallet/create */
export const openBody = z.object(walletFields);

/** POST /wallet/import/key */
export const importKeyBody = z.object({
  ...walletFields,
  ...scanHeight,
  privateViewKey: key,
  privateSpendKey: key,
});

/** POST /wallet/import/seed */
export const importSeedBody = z.object({ ...walletFields, ...scanHeight, mnemonicSeed: z.string() });

/** POST /wallet/import/view */
export const importViewBody = z.object({ ...walletFields, ...scanHeight, privateViewKey: key, address: z.string() });

/** PUT /reset */
export const resetBody = z.object(scanHeight);

/** PUT /wallet/password */
export const passwordBody = z.object({ password: z.string(), newPassword: z.string() });

/** POST /backup */
export const backupBody = z.object({ file: z.string() });

/** POST /export/json */
export const exportBody = z.object({ filename: z.string() });

/** PUT /node */
export const setNodeBody = z.object({ ...nodeRequestFields, daemonHost: z.string() });

const nodeFields = { daemonHost: z.string(), daemonPort: integer, daemonSSL: z.boolean() };

/** GET /node */
export const nodeAnswer = z.object({ ...nodeFields, nodeAddress: z.string(), nodeFee: integer });

/** PUT /sync/refresh */
export const refreshAnswer = z.object({ ...nodeFields, message: z.string(), status: z.literal('OK') });

const listedNode = z.object({
  name: z.string(),
  isInUse: z.boolean(),
  failure: z.string().optional().meta({ description: 'The last error' }),
});

/** GET /status */
export const statusAnswer = z.object({
  converting: z.boolean().meta({
    description: 'An old file was converted, and no block of the chain has confirmed its history yet',
  }),
  daemonLiteStartHeight: integer.meta({ description: 'First block of a lite node, 0 for a full node' }),
  hashrate: uint64.meta({ description: 'Hashes per second of the network' }),
  isDaemonSynced: z.boolean(),
  isOutOfSync: z.boolean().meta({ description: 'Node or wallet is not synchronized' }),
  isSyncStalledByLiteNode: z.boolean().meta({ description: 'The lite node starts above the height of the wallet' }),
  isViewWallet: z.boolean(),
  isWalletSynced: z.boolean().meta({ description: 'At most 10 blocks behind the network' }),
  localDaemonBlockCount: integer.meta({ description: 'Height of the node, 0 until it first responds' }),
  networkBlockCount: integer.meta({ description: 'Height of the network, 0 until the node first responds' }),
  nodes: z.array(listedNode).meta({ description: 'The failover list in its order' }),
  nodeSwitch: z
    .object({ from: z.string(), to: z.string(), reason: z.string(), timestamp: integer })
    .optional()
    .meta({ description: 'The last failover; timestamp in unix seconds' }),
  peerCount: integer,
  scanStartHeight: integer.meta({ description: 'First block of the scan, 0 if the scan begins at a time' }),
  scanStartTimestamp: integer.meta({
    description: 'Unix seconds at which the scan begins, 0 if it begins at a height',
  }),
  sendsPaused: z
    .object({
      source: z.enum(['operator', 'database', 'chainDisagreement', 'heavierBranch']),
      reason: z.string(),
      since: integer.meta({ description: 'Unix milliseconds' }),
    })
    .optional()
    .meta({ description: 'Why sends are refused until they are resumed; absent while they are not paused' }),
  subWalletCount: integer.meta({ description: 'Number of addresses' }),
  syncGapCoveredTo: integer.meta({ description: 'Last block before the gap of a lite node, else 0' }),
  syncGapDaemonServesFrom: integer.meta({ description: 'First block after the gap of a lite node, else 0' }),
  syncStall: z
    .object({ code: z.string(), message: z.string() })
    .optional()
    .meta({ description: 'Why the wallet makes no progress' }),
  unreadableBlocks: integer.meta({
    description: 'Blocks skipped since the wallet was opened because they are invalid',
  }),
  walletBlockCount: integer.meta({ description: 'Height of the wallet' }),
});
