import type { BlockFacts } from '@wrkz/consensus';

/** About so many bytes of assembled blocks an answer (8 MiB); one block is always sent. */
export const MAX_RESPONSE_BYTES = 8 * 1024 * 1024;

/** No request makes the node walk over more blocks than this. */
export const MAX_BLOCKS_WALKED = 10_000;

/** The `topBlock` member that tells a wallet that it holds everything. */
export function topBlockJson(top: BlockFacts): string {
  return `"topBlock":{"hash":"${top.hash.toString('hex')}","height":${top.height}}`;
}
