import { stringifyJson } from '@wrkz/service-kit/base';
import { transactionPrefixInfo } from '../records/transaction-prefix-info';
import { JsonBuffer } from './json-buffer';
import { MAX_ANSWER_BYTES } from './limits';
import type { Query } from './query';

/** What changed in the pool; its transactions are put into words by a reader thread, for there may be thousands. */
export interface PoolChangesQuery {
  /** `prefix` as serialized, without signatures. */
  readonly added: readonly { readonly hash: Buffer; readonly prefix: Buffer }[];
  /** Hex ids. */
  readonly gone: readonly string[];
  readonly isTailActual: boolean;
}

/** Transactions that are put into words within some ten milliseconds. */
const LIGHT_TRANSACTIONS = 500;
/** Transactions from one look for the caller to the next. */
const STRIDE = 32;

/**
 * The body of `/get_pool_changes_lite`. It ends at the largest answer: who asks again knows what was sent, and gets the
 * rest.
 */
export const poolChanges: Query<PoolChangesQuery> = {
  isHeavy: ({ added }) => added.length > LIGHT_TRANSACTIONS,
  answer: ({ throwIfGone }, { added, gone, isTailActual }) => {
    const out = new JsonBuffer();
    const tail = `],"deletedTxsIds":${stringifyJson(gone)},"isTailBlockActual":${isTailActual},"status":"OK"}`;
    out.text('{"addedTxs":[');
    for (const [i, { hash, prefix }] of added.entries()) {
      if (i % STRIDE === 0) throwIfGone();
      const before = out.length;
      out.text((i === 0 ? '' : ',') + stringifyJson(transactionPrefixInfo(hash, prefix)));
      if (i > 0 && out.length + tail.length > MAX_ANSWER_BYTES) {
        out.truncate(before);
        break;
      }
    }
    return out.text(tail).finish();
  },
};
