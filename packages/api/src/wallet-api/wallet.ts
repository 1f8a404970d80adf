import { z } from 'zod';
import { integer } from '../scalars';
import { key, nodeMembers, scanHeight, walletMembers } from './common';

/** POST /wallet/open and /wallet/create. */
export const openBody = z.object(walletMembers);

/** POST /wallet/import/key. */
export const importKeyBody = z.object({
  ...walletMembers,
  ...scanHeight,
  privateViewKey: key,
  privateSpendKey: key,
});

export const importSeedBody = z.object({ ...walletMembers, ...scanHeight, mnemonicSeed: z.string() });

export const importViewBody = z.object({ ...walletMembers, ...scanHeight, privateViewKey: key, address: z.string() });

export const resetBody = z.object(scanHeight);

/** PUT /wallet/password. */
export const passwordBody = z.object({ password: z.string(), newPassword: z.string() });

export const exportBody = z.object({ filename: z.string() });

export const setNodeBody = z.object({ ...nodeMembers, daemonHost: z.string() });

const nodeFields = { daemonHost: z.string(), daemonPort: integer, daemonSSL: z.boolean() };

/** GET /node. */
export const nodeAnswer = z.object({ ...nodeFields, nodeAddress: z.string(), nodeFee: integer });

/** PUT /sync/refresh. */
export const refreshAnswer = z.object({ ...nodeFields, message: z.string(), status: z.literal('OK') });
