import type { ParsedTransaction } from '@wrkz/core-types';

/** Why a transaction left the pool, as published. */
export type RemovalReason = 'InBlock' | 'Outdated' | 'NotActual';

/** A transaction in the pool, with the values that order it. */
export interface PoolTransaction {
  /** The hash as hex. */
  readonly id: string;
  readonly parsed: ParsedTransaction;
  readonly size: number;
  readonly fee: bigint;
  /** Sum of the outputs. */
  readonly amount: bigint;
  /** Key images as hex. */
  readonly keyImages: readonly string[];
  /** Monotonic seconds. */
  readonly receivedAt: number;
  /** Admission number; breaks ties in the order. */
  readonly sequence: number;
}

function keyImagesOf(parsed: ParsedTransaction): string[] {
  return parsed.transaction.inputs.flatMap((input) => (input.type === 'key' ? [input.keyImage.toString('hex')] : []));
}

/** A parsed transaction as an entry of the pool. @param receivedAt monotonic seconds */
export function poolTransaction(parsed: ParsedTransaction, receivedAt: number, sequence: number): PoolTransaction {
  return {
    id: parsed.hash.toString('hex'),
    parsed,
    size: parsed.size,
    fee: parsed.fee ?? 0n,
    amount: parsed.transaction.outputs.reduce((sum, output) => sum + output.amount, 0n),
    keyImages: keyImagesOf(parsed),
    receivedAt,
    sequence,
  };
}
