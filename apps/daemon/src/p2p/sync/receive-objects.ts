import { type RawBlock, rawBlockBytes } from '@wrkz/core-types';
import type { ResponseObjects } from '@wrkz/levin';
import { EventLoopYielder } from '@wrkz/service-kit/base';
import { closeReasons, type CloseReason } from '../limits/close-reasons';
import type { BlockCodec } from '../ports';
import { hashKey } from '../hashes';
import type { PlanEntry } from './chain-plan';

export interface ReceivedBlock {
  readonly entry: PlanEntry;
  readonly raw: RawBlock;
  readonly bytes: number;
}

export type ReceiveVerdict =
  | { readonly kind: 'bad'; readonly reason: CloseReason; readonly blocks: readonly ReceivedBlock[] }
  /** `reorganised`: what is missing was named as missing, so the peer has changed its chain. */
  | { readonly kind: 'good'; readonly reorganised: boolean; readonly blocks: readonly ReceivedBlock[] };

/**
 * Checks NOTIFY_RESPONSE_GET_OBJECTS against the request: every block must be one of `left`, follow the block that
 * the peer said it follows, and come with exactly its transactions. What passes is bound to the requested hash,
 * so a fault that is found later lies in the announced chain, not in how the block was carried. Gives way to the event
 * loop in between.
 */
export async function receiveObjects(
  message: ResponseObjects,
  left: Map<string, PlanEntry>,
  codec: BlockCodec,
): Promise<ReceiveVerdict> {
  const yielder = new EventLoopYielder();
  const blocks: ReceivedBlock[] = [];
  for (const raw of message.blocks) {
    await yielder.yieldIfDue();
    const checked = checkBlock(raw, left, codec);
    if (!('entry' in checked)) return { kind: 'bad', reason: checked, blocks };
    left.delete(checked.entry.key);
    blocks.push(checked);
  }
  const missed = new Set(message.missed.map(hashKey));
  if ([...left.keys()].some((key) => !missed.has(key))) {
    return { kind: 'bad', reason: closeReasons.objectsMissing, blocks };
  }
  return { kind: 'good', reorganised: left.size > 0, blocks };
}

function checkBlock(raw: RawBlock, left: Map<string, PlanEntry>, codec: BlockCodec): ReceivedBlock | CloseReason {
  let parsed: ReturnType<BlockCodec['parse']>;
  try {
    parsed = codec.parse(raw.block);
  } catch {
    return closeReasons.objectsUnreadable;
  }
  const entry = left.get(hashKey(parsed.hash));
  if (entry === undefined) return closeReasons.objectsForeign;
  if (!parsed.block.previousHash.equals(entry.previous)) return closeReasons.objectsUnlinked;
  const hashes = parsed.block.transactionHashes;
  if (hashes.length !== raw.transactions.length) return closeReasons.objectsBody;
  if (!raw.transactions.every((bytes, index) => hashes[index]?.equals(codec.transactionHash(bytes)) === true)) {
    return closeReasons.objectsBody;
  }
  return { entry, raw, bytes: rawBlockBytes(raw) };
}
