import type { daemonApi } from '@wrkz/api';
import { decodeTransactionPrefix, type TransactionInput, type TransactionPrefix } from '@wrkz/core-types';
import { stringifyJson } from '@wrkz/service-kit/base';
import type { z } from 'zod';
import { ResponseBuffer } from './response-buffer';
import { MAX_RESPONSE_BYTES, type Query } from './query';
import { HASH_BYTES, splitHashes } from './sync-blocks';

/** One lookup takes some microseconds. */
const MAX_LIGHT_LOOKUPS = 2_000;
/** Lookups between two checks whether the client is gone. */
const LOOKUPS_PER_CHECK = 256;

/** Returns a byte for each hash of 32 bytes: 1 if the transaction is on the main chain, otherwise 0. */
export const findTransactions: Query<{ readonly hashes: Buffer }> = {
  isHeavy: ({ hashes }) => hashes.length > MAX_LIGHT_LOOKUPS * HASH_BYTES,
  run: ({ reader, throwIfCancelled }, { hashes }) =>
    reader.snapshot(() => {
      const found = Buffer.alloc(hashes.length / HASH_BYTES);
      for (let i = 0; i < found.length; i++) {
        if (i % LOOKUPS_PER_CHECK === 0) throwIfCancelled();
        found[i] = Number(reader.hasTransaction(hashes.subarray(i * HASH_BYTES, (i + 1) * HASH_BYTES)));
      }
      return found;
    }),
};

export interface PaymentIdQuery {
  /** 32 bytes, plain. */
  readonly paymentId: Buffer;
  /** Max transactions in the response. */
  readonly limit: number;
  /** Hashes of the pool's transactions with the payment id, collected before the query. */
  readonly pooled: readonly Buffer[];
}

/** Transactions of one read. */
const USES_PER_READ = 64;

/** The response of `f_transactions_by_payment_id_json`. A transaction that was mined after `pooled` was collected counts once. */
export const paymentIdTransactions: Query<PaymentIdQuery> = {
  isHeavy: () => true,
  run: ({ reader, throwIfCancelled }, { paymentId, limit, pooled }) =>
    reader.snapshot(() => {
      const mined = reader.paymentIdUses(paymentId);
      const unmined = pooled.filter((hash, i) => {
        if (i % LOOKUPS_PER_CHECK === 0) throwIfCancelled();
        return !reader.hasTransaction(hash);
      });
      const total = mined + unmined.length;
      const out = new ResponseBuffer();
      out.text(`{"status":"OK","totalCount":${total},"transactionHashes":[`);
      let separator = '"';
      const put = (hash: Buffer): void => {
        out.text(separator).hex(hash).text('"');
        separator = ',"';
      };
      const end = Math.min(mined, limit);
      for (let use = 0; use < end; use += USES_PER_READ) {
        throwIfCancelled();
        reader.transactionsByPaymentId(paymentId, use, Math.min(use + USES_PER_READ, end)).forEach(put);
      }
      unmined.slice(0, limit - end).forEach(put);
      return out.text(`],"truncated":${total > limit}}`).finish();
    }),
};

/**
 * Changes of the pool. A reader thread serializes them, because there may be thousands of transactions. Their bytes are
 * concatenated, so that the main thread creates the message to the reader thread fast.
 */
export interface PoolChangesQuery {
  /** Hashes of the added transactions, 32 bytes each. */
  readonly hashes: Buffer;
  /** The added transactions without signatures, and their lengths. */
  readonly prefixes: Buffer;
  readonly lengths: readonly number[];
  /** Hashes of transactions that are no longer in the pool, 32 bytes each. */
  readonly gone: Buffer;
  readonly isTailActual: boolean;
}

/** Transactions whose JSON takes about 10 ms. */
const MAX_LIGHT_TRANSACTIONS = 500;
/** Transactions between two checks whether the client is gone. */
const TRANSACTIONS_PER_CHECK = 32;

/** The response of `/get_pool_changes_lite`. It ends at the max size: the next request of the client gets the rest. */
export const poolChanges: Query<PoolChangesQuery> = {
  isHeavy: ({ lengths }) => lengths.length > MAX_LIGHT_TRANSACTIONS,
  run: ({ throwIfCancelled }, { hashes, prefixes, lengths, gone, isTailActual }) => {
    const out = new ResponseBuffer();
    const deleted = stringifyJson(splitHashes(gone).map((hash) => hash.toString('hex')));
    const tail = `],"deletedTxsIds":${deleted},"isTailBlockActual":${isTailActual},"status":"OK"}`;
    out.text('{"addedTxs":[');
    let at = 0;
    for (const [i, hash] of splitHashes(hashes).entries()) {
      if (i % TRANSACTIONS_PER_CHECK === 0) throwIfCancelled();
      const before = out.length;
      const prefix = prefixes.subarray(at, (at += lengths[i] as number));
      out.text((i === 0 ? '' : ',') + stringifyJson(transactionPrefixInfo(hash, prefix)));
      if (i > 0 && out.length + tail.length > MAX_RESPONSE_BYTES) {
        out.truncate(before);
        break;
      }
    }
    return out.text(tail).finish();
  },
};

/** `txPrefix` in the responses about pool and blocks, `tx` in those of the explorer. */
type TransactionPrefixJson = z.output<typeof daemonApi.transactionPrefixObject>;

/** A transaction prefix as JSON: bytes in hex, ring offsets relative as stored. */
export function transactionPrefixJson(prefix: TransactionPrefix): TransactionPrefixJson {
  return {
    extra: prefix.extra.toString('hex'),
    unlock_time: prefix.unlockTime,
    version: prefix.version,
    vin: prefix.inputs.map(inputJson),
    vout: prefix.outputs.map(({ amount, key }) => ({
      amount,
      target: { data: { key: key.toString('hex') }, type: '02' },
    })),
  };
}

function inputJson(input: TransactionInput): TransactionPrefixJson['vin'][number] {
  if (input.type === 'base') return { type: 'ff', value: { height: input.height } };
  const { amount, keyImage, keyOffsets } = input;
  return {
    type: '02',
    value: { amount, k_image: keyImage.toString('hex'), key_offsets: [...keyOffsets] },
  };
}

/**
 * A transaction in the responses about pool and blocks.
 * @param bytes the serialized transaction, with or without signatures
 * @throws DecodeError
 */
export function transactionPrefixInfo(
  hash: Buffer,
  bytes: Buffer,
): z.output<typeof daemonApi.transactionPrefixInfoObject> {
  return {
    'transactionPrefixInfo.txHash': hash.toString('hex'),
    'transactionPrefixInfo.txPrefix': transactionPrefixJson(decodeTransactionPrefix(bytes, { allowSignatures: true })),
  };
}
