import { z } from 'zod';
import { hash, hex, integer, statusOk, uint64 } from '../../scalars';
import { blockRowObject } from '../records/block-row';
import { transactionPrefixMembers } from '../records/transaction-prefix';

export const transactionParams = z.object({ hash });

const transactionObject = z.object({
  ...transactionPrefixMembers,
  nonce: hex.meta({ description: 'The field of extra that holds payment ids and free data, without tag and length' }),
  publicKey: hex.meta({ description: 'The transaction key, empty when there is none' }),
});

const transactionDetails = z.object({
  amount_out: uint64.meta({ description: 'The sum of its outputs' }),
  fee: uint64.meta({ description: '0 for a coinbase transaction' }),
  hash,
  mixin: integer.meta({ description: 'Members of its largest ring' }),
  paymentId: z
    .string()
    .regex(/^(?:[0-9a-f]{16}|[0-9a-f]{64})?$/)
    .meta({ description: 'Plain, or as it stands encrypted for its receiver, or empty' }),
  paymentIdEncrypted: z.boolean(),
  size: integer.meta({ description: 'Bytes' }),
});

/** A transaction of the main chain; those of the pool are not found. */
export const transactionResult = z.object({
  block: blockRowObject,
  status: statusOk,
  tx: transactionObject,
  txDetails: transactionDetails,
});
