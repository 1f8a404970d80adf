import type { daemonApi } from '@wrkz/api';
import { findWalletExtra, parseExtra, type ParsedTransaction } from '@wrkz/core-types';
import type { z } from 'zod';
import { transactionPrefixRecord } from './transaction-prefix';
import { transactionRow } from './transaction-row';

type ExplorerTransaction = Pick<z.output<typeof daemonApi.transactionResult>, 'tx' | 'txDetails'>;

/** Bytes of a payment id that is encrypted for its receiver. */
const ENCRYPTED_BYTES = 8;

/** What `f_transaction_json` says of a transaction itself. The payment id is the one that wallets read. */
export function explorerTransaction(parsed: ParsedTransaction): ExplorerTransaction {
  const { inputs, extra } = parsed.transaction;
  const { publicKey, nonce } = parseExtra(extra);
  const { paymentId: at, paymentIdSize } = findWalletExtra(extra);
  return {
    tx: {
      ...transactionPrefixRecord(parsed.transaction),
      nonce: nonce?.toString('hex') ?? '',
      publicKey: publicKey?.toString('hex') ?? '',
    },
    txDetails: {
      ...transactionRow(parsed),
      mixin: inputs.reduce((most, input) => Math.max(most, input.type === 'key' ? input.keyOffsets.length : 0), 0),
      paymentId: at < 0 ? '' : extra.toString('hex', at, at + paymentIdSize),
      paymentIdEncrypted: paymentIdSize === ENCRYPTED_BYTES,
    },
  };
}
