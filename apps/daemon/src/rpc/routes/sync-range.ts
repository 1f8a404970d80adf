import { daemonApi } from '@wrkz/api';
import type { z } from 'zod';
import { refuse } from '../errors';
import type { RpcContext } from '../ports';
import { joinHashes, type SyncRange } from '../queries/range';

/** What 0 as `blockCount` means. */
const DEFAULT_BLOCK_COUNT = 100;

/** The refusals of the members that `/getwalletsyncdata` and `/getrawblocks` share. */
export const syncRangeErrors = [
  daemonApi.refusals.invalidCheckpoint,
  daemonApi.refusals.blockCountTooBig,
  daemonApi.refusals.busy,
  daemonApi.refusals.overloaded,
  daemonApi.refusals.internal,
] as const;

export const syncRangeInvalid = { blockHashCheckpoints: daemonApi.refusals.invalidCheckpoint } as const;

export const syncRangeChecks = {
  blockCount: (asked: number, { context }: { readonly context: RpcContext }): void => {
    if (asked > context.limits.maxBlockCount) throw refuse(daemonApi.refusals.blockCountTooBig);
  },
} as const;

/** The range that these members ask for. */
export function syncRangeOf(body: z.output<typeof daemonApi.rawBlocksRequest>, maxBlockCount: number): SyncRange {
  return {
    checkpoints: joinHashes(body.blockHashCheckpoints),
    startHeight: body.startHeight,
    startTimestamp: body.startTimestamp,
    blockCount: Math.min(maxBlockCount, body.blockCount === 0 ? DEFAULT_BLOCK_COUNT : body.blockCount),
  };
}
