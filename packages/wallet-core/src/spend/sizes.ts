/*
 * Sizes before a transaction is there, in bytes (docs/protocol/wallet.md#size-estimate). They lie a little above what
 * comes out: offsets count as four bytes, amounts as ten.
 */

const HEADER = 44;
const PAYMENT_ID = 35;
const DATA_OVERHEAD = 4;
const INPUT = 112;
const DECOY = 68;
const OUTPUT = 43;
/** Of the header where inputs are counted into a size. */
const HEADER_OF_BATCH = 42;

interface Shape {
  readonly inputs: number;
  readonly outputs: number;
  readonly mixin: number;
  readonly hasPaymentId: boolean;
  /** Bytes of free data. */
  readonly data: number;
}

export function estimateSize({ inputs, outputs, mixin, hasPaymentId, data }: Shape): number {
  const extra = (hasPaymentId ? PAYMENT_ID : 0) + (data > 0 ? data + DATA_OVERHEAD : 0);
  return HEADER + extra + inputs * (INPUT + mixin * DECOY) + outputs * OUTPUT;
}

/** How many inputs a transaction of this size has room for beside its outputs. */
export function inputsThatFit(size: number, outputs: number, mixin: number): number {
  return Math.max(0, Math.floor((size - HEADER_OF_BATCH - outputs * OUTPUT) / (INPUT + mixin * DECOY)));
}
