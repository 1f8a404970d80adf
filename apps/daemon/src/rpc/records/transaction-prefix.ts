import type { daemonApi } from '@wrkz/api';
import type { TransactionInput, TransactionPrefix } from '@wrkz/core-types';
import type { z } from 'zod';

/** The `txPrefix` of the pool and block queries, which the explorer calls `tx`. */
export type TransactionPrefixRecord = z.output<typeof daemonApi.transactionPrefixObject>;

/** What a transaction says, in the shape in which clients read it: hex for bytes, ring offsets relative as stored. */
export function transactionPrefixRecord(prefix: TransactionPrefix): TransactionPrefixRecord {
  return {
    extra: prefix.extra.toString('hex'),
    unlock_time: prefix.unlockTime,
    version: prefix.version,
    vin: prefix.inputs.map(inputRecord),
    vout: prefix.outputs.map(({ amount, key }) => ({
      amount,
      target: { data: { key: key.toString('hex') }, type: '02' },
    })),
  };
}

function inputRecord(input: TransactionInput): TransactionPrefixRecord['vin'][number] {
  if (input.type === 'base') return { type: 'ff', value: { height: input.height } };
  const { amount, keyImage, keyOffsets } = input;
  return {
    type: '02',
    value: { amount, k_image: keyImage.toString('hex'), key_offsets: [...keyOffsets] },
  };
}
