/** Unlock times below are the index of a block, others are Unix seconds. */
const FIRST_TIME = 500_000_000n;
/** A moment counts as past so many seconds before, as the wallets have it. */
const TIME_TOLERANCE = 60n;

/**
 * Whether an output can be spent when the tip has this index, by the rule of the wallets
 * (docs/protocol/transactions.md#spendable-outputs).
 * @param now Unix seconds
 */
export function isUnlocked(unlockTime: bigint, tip: number, now: number): boolean {
  return unlockTime < FIRST_TIME ? BigInt(tip) + 1n >= unlockTime : BigInt(now) + TIME_TOLERANCE >= unlockTime;
}
