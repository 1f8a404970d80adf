import { DIFFICULTY_TARGET, UNLOCK_DELTA_BLOCKS, UNLOCK_DELTA_SECONDS, UNLOCK_TIME_BOUNDARY } from '@wrkz/core-types';

/** Index and time to compare unlock times with; the time is that of the tip or, in old blocks, of the clock. */
export interface LockTime {
  /** H, the index of the block before the one that spends. */
  readonly height: number;
  /** Unix seconds: the tip's timestamp if `Rules.timeLockByTip`, else the clock. */
  readonly timestamp: number;
}

/**
 * Whether an output with this unlock time may be spent. Below 500,000,000 it is a block index, at and above it a unix
 * time; both unlock slightly early (docs/protocol/transactions.md#spendable-outputs).
 */
export function isUnlocked(unlockTime: bigint, at: LockTime): boolean {
  return unlockTime < UNLOCK_TIME_BOUNDARY
    ? BigInt(at.height) + UNLOCK_DELTA_BLOCKS >= unlockTime
    : BigInt(at.timestamp) + UNLOCK_DELTA_SECONDS >= unlockTime;
}

/**
 * Whether the unlock time of a new transaction is far enough ahead (docs/protocol/transactions.md#unlock-time). The
 * boundary itself counts as a block index here, unlike in `isUnlocked`.
 *
 * @param minimum `Rules.minimumUnlock`, blocks
 * @param height H, the index of the previous block
 * @param timestamp of its block, or of the tip in the pool
 */
export function unlockTimeAllowed(unlockTime: bigint, minimum: number, height: number, timestamp: number): boolean {
  return unlockTime > UNLOCK_TIME_BOUNDARY
    ? unlockTime >= BigInt(timestamp + minimum * DIFFICULTY_TARGET)
    : unlockTime >= BigInt(height + minimum);
}
