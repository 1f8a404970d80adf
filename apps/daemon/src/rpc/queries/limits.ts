import { daemonApi } from '@wrkz/api';
import { refuse } from '../errors';
import type { JsonBuffer } from './json-buffer';

/** No answer is larger (docs/protocol/rpc.md#limits). A sync answer ends before; one block is always sent. */
export const MAX_ANSWER_BYTES = 8 * 1024 * 1024;

/** No request makes the node walk over more blocks than this. */
export const MAX_BLOCKS_WALKED = 10_000;

/** For answers that cannot be given in part. @throws RpcRefusal 400 when this one has grown too large */
export function refuseTooLarge(answer: JsonBuffer): void {
  if (answer.length > MAX_ANSWER_BYTES) {
    throw refuse(daemonApi.refusals.answerTooLarge, { maximum: String(MAX_ANSWER_BYTES) });
  }
}

/** A sync request for so many blocks is answered within some ten milliseconds. */
const LIGHT_BLOCKS = 100;

export function isHeavySync({ blockCount }: { readonly blockCount: number }): boolean {
  return blockCount > LIGHT_BLOCKS;
}
