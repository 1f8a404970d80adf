import { refusals } from '../errors';
import { asString, hashFrom, type Params } from '../params';
import type { SyncRange } from '../queries/range';

/** What 0 or an absent `blockCount` means. */
const DEFAULT_BLOCK_COUNT = 100n;

/** Heights and timestamps beyond this are beyond every chain; cutting them keeps them exact as numbers. */
const HIGHEST = BigInt(Number.MAX_SAFE_INTEGER);

/** A height or timestamp as a number, cut where no chain reaches. */
export function cut(value: bigint): number {
  return Number(value < HIGHEST ? value : HIGHEST);
}

/** The members that `/getwalletsyncdata` and `/getrawblocks` share. */
export function readSyncRange(params: Params, maxBlockCount: number): SyncRange {
  const checkpoints = params.optionalArray('blockHashCheckpoints').map((entry) => {
    const hash = hashFrom(asString(entry));
    if (hash === undefined) throw refusals.badRequest('blockHashCheckpoints contains invalid hash');
    return hash;
  });
  const startHeight = cut(params.optionalUint64('startHeight', 0n));
  const startTimestamp = cut(params.optionalUint64('startTimestamp', 0n));
  const asked = params.optionalUint64('blockCount', DEFAULT_BLOCK_COUNT);
  if (asked > BigInt(maxBlockCount)) throw refusals.badRequest('blockCount exceeds rpc-max-block-count');
  const blockCount = Math.min(maxBlockCount, Number(asked === 0n ? DEFAULT_BLOCK_COUNT : asked));
  return { checkpoints, startHeight, startTimestamp, blockCount };
}
