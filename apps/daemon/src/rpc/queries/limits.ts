import { daemonApi } from '@wrkz/api';
import { refuse } from '../errors';
import type { JsonBuffer } from './json-buffer';
import { HASH_BYTES, type SyncRange } from './range';

/** No answer is larger (docs/protocol/rpc.md#limits). A sync answer ends before; one block is always sent. */
export const MAX_ANSWER_BYTES = 8 * 1024 * 1024;

/** No request makes the node walk over more blocks than this. */
export const MAX_BLOCKS_WALKED = 10_000;

/** For answers that cannot be given in part. @throws RpcRefusal 400 when this one has grown too large */
export function refuseTooLarge({ length }: Pick<JsonBuffer, 'length'>): void {
  if (length > MAX_ANSWER_BYTES) {
    throw refuse(daemonApi.refusals.answerTooLarge, { maximum: String(MAX_ANSWER_BYTES) });
  }
}

/** A sync request for so many blocks is answered within some ten milliseconds. */
const LIGHT_BLOCKS = 100;

/** Wallets send some hundreds; each that is not known takes some ten microseconds. */
const LIGHT_CHECKPOINTS = 2_000;

export function isHeavySync({ blockCount, checkpoints }: Pick<SyncRange, 'blockCount' | 'checkpoints'>): boolean {
  return blockCount > LIGHT_BLOCKS || checkpoints.length / HASH_BYTES > LIGHT_CHECKPOINTS;
}
