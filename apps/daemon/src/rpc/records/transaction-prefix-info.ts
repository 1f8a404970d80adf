import type { daemonApi } from '@wrkz/api';
import { decodeTransactionPrefix } from '@wrkz/core-types';
import type { z } from 'zod';
import { transactionPrefixRecord } from './transaction-prefix';

/** An entry of the lists of transactions that the pool and block queries give. */
type TransactionPrefixInfo = z.output<typeof daemonApi.transactionPrefixInfoObject>;

/** @param bytes the transaction as serialized, with its signatures or without them. @throws DecodeError */
export function transactionPrefixInfo(hash: Buffer, bytes: Buffer): TransactionPrefixInfo {
  return {
    'transactionPrefixInfo.txHash': hash.toString('hex'),
    'transactionPrefixInfo.txPrefix': transactionPrefixRecord(
      decodeTransactionPrefix(bytes, { allowSignatures: true }),
    ),
  };
}
