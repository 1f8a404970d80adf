import type { PoolTransaction } from './pool-transaction';

/**
 * The order in which transactions are mined and, from the other end, evicted (docs/protocol/pool.md#priority): fee per byte,
 * sum of outputs, inputs per output, size, age. Negative if `a` comes first; never 0 for two different entries.
 */
export function comparePriority(a: PoolTransaction, b: PoolTransaction): number {
  return (
    // Compares a.fee / a.size with b.fee / b.size by cross-multiplication.
    compare(b.fee * BigInt(a.size), a.fee * BigInt(b.size)) ||
    compare(b.amount, a.amount) ||
    compare(b.inputsPerOutput, a.inputsPerOutput) ||
    compare(a.size, b.size) ||
    compare(a.receivedAt, b.receivedAt) ||
    compare(a.sequence, b.sequence)
  );
}

function compare<T extends bigint | number>(a: T, b: T): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
