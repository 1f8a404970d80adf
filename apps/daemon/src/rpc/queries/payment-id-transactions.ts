import { JsonBuffer } from './json-buffer';
import type { Query } from './query';

export interface PaymentIdQuery {
  /** 32 bytes, plain. */
  readonly paymentId: Buffer;
  /** Transactions that are listed at most. */
  readonly limit: number;
  /** Hashes of those that carry it in the pool, as it was before the chain is asked. */
  readonly waiting: readonly Buffer[];
}

/** Look-ups from one look for the caller to the next: below a millisecond. */
const STRIDE = 64;

/** The result of `f_transactions_by_payment_id_json`: what was mined since the pool was asked counts once. */
export const paymentIdTransactions: Query<PaymentIdQuery> = {
  isHeavy: () => true,
  answer: ({ reader, throwIfGone }, { paymentId, limit, waiting }) =>
    reader.snapshot(() => {
      const mined = reader.paymentIdUses(paymentId);
      const stillWaiting = waiting.filter((hash, i) => {
        if (i % STRIDE === 0) throwIfGone();
        return !reader.hasTransaction(hash);
      });
      const total = mined + stillWaiting.length;
      const out = new JsonBuffer();
      out.text(`{"status":"OK","totalCount":${total},"transactionHashes":[`);
      let separator = '"';
      const put = (hash: Buffer): void => {
        out.text(separator).hex(hash).text('"');
        separator = ',"';
      };
      const end = Math.min(mined, limit);
      for (let use = 0; use < end; use += STRIDE) {
        throwIfGone();
        reader.transactionsByPaymentId(paymentId, use, Math.min(use + STRIDE, end)).forEach(put);
      }
      stillWaiting.slice(0, limit - end).forEach(put);
      return out.text(`],"truncated":${total > limit}}`).finish();
    }),
};
