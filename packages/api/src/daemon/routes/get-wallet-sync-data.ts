import { z } from 'zod';
import { integer, statusOk, uint64 } from '../../scalars';
import { syncRange, topBlock } from './sync-range';

export const walletSyncDataRequest = z.object({
  ...syncRange,
  encoding: z.enum(['hex', 'base64']).default('hex').meta({ description: 'How hashes and keys are written' }),
  skipCoinbaseTransactions: z.boolean().default(false),
  skipInputKeyOffsets: z.boolean().default(false).meta({ description: 'Leaves key_offsets out of the inputs' }),
  skipEmptyBlocks: z
    .boolean()
    .default(false)
    .meta({ description: 'Leaves out blocks without transactions; works only with skipCoinbaseTransactions' }),
  endHeight: integer.default(0).meta({ description: 'An index, exclusive; 0 = none' }),
});

/** 32 bytes in the encoding asked for. */
const key = z.string().regex(/^(?:[0-9a-f]{64}|[A-Za-z0-9+/]{43}=)$/);

const common = {
  hash: key,
  outputs: z.array(z.object({ amount: uint64, key })),
  txPublicKey: key,
  unlockTime: uint64,
};

const keyInput = z.object({
  amount: uint64,
  k_image: key,
  key_offsets: z.array(integer).optional().meta({ description: 'Relative, as stored' }),
});

const transaction = z.object({
  ...common,
  inputs: z.array(z.union([keyInput, z.strictObject({})])),
  paymentID: z
    .string()
    .regex(/^(?:[0-9a-f]{16}|[0-9a-f]{64})?$/)
    .meta({ description: 'Hex in either encoding: a long id, a short one as it stands encrypted, or none' }),
});

/** What a wallet needs of a run of blocks. */
export const walletSyncDataAnswer = z.object({
  items: z.array(
    z.object({
      blockHash: key,
      blockHeight: integer.meta({ description: 'An index' }),
      blockTimestamp: uint64,
      coinbaseTX: z.object(common).optional().meta({ description: 'Left out when coinbases are skipped' }),
      transactions: z.array(transaction),
    }),
  ),
  scannedToHeight: integer.optional().meta({ description: 'The highest index looked at; left out when 0' }),
  status: statusOk,
  synced: z.boolean().meta({ description: 'True when items is empty' }),
  topBlock: topBlock.optional(),
});
