import { daemonApi } from '@wrkz/api';
import type { z } from 'zod';
import type { BlockRangeQuery } from '../queries/block-range';
import { joinHashes } from '../queries/range';

/** The refusals of the members that `/queryblockslite` and `/queryblocksdetailed` share. */
export const queryBlocksErrors = [
  daemonApi.refusals.blockIdNotHex,
  daemonApi.refusals.noKnownBlock,
  daemonApi.refusals.belowFloor,
  daemonApi.refusals.overloaded,
  daemonApi.refusals.internal,
] as const;

export const queryBlocksInvalid = { blockIds: daemonApi.refusals.blockIdNotHex } as const;

export function blockRangeOf(body: z.output<typeof daemonApi.queryBlocksLiteRequest>): BlockRangeQuery {
  return { blockIds: joinHashes(body.blockIds), timestamp: body.timestamp };
}
