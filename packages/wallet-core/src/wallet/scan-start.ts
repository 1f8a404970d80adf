/** Unix seconds of mainnet's first block, and of one block: how heights and times are compared that no node was asked for. */
const FIRST_BLOCK = 1_529_831_318;
const BLOCK_SECONDS = 60;
/** A clock may be wrong by so much. */
const CLOCK_SLACK = 7_200;

/** Where the keys that are made now begin to look: a time, which the node turns into a block. */
export function startOfNewKeys(now: number): { timestamp: number; height: number } {
  return { timestamp: Math.max(0, now - CLOCK_SLACK), height: 0 };
}

/** Whether a block at this height is older than where the scan begins. */
export function liesBefore(height: number, start: { readonly height: number; readonly timestamp: number }): boolean {
  if (start.height > 0 || start.timestamp === 0) return height < start.height;
  return FIRST_BLOCK + BLOCK_SECONDS * height < start.timestamp;
}
