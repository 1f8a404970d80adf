import { type RawBlock, rawBlockBytes } from '@wrkz/core-types';
import { responseObjects, type RequestObjects } from '@wrkz/levin';
import { EventLoopYielder } from '@wrkz/service-kit/base';
import type { WorkBudget } from '../penalties/work-budget';
import type { ChainPort } from '../ports';
import { hashKey } from '../util/hash-key';

/** Below the write queue's limit of 32 MiB; honest peers ask for at most 48 MiB by estimate, usually for far less. */
const ANSWER_BYTES = 28 * 1024 * 1024;
/** More ids than any program of the network asks for at once. */
const MAX_IDS = 2000;

/**
 * Answers NOTIFY_REQUEST_GET_OBJECTS. Each id is served once; ids that we do not have, and those beyond the limits of
 * one answer, are named in `missed_ids`. Gives way to the event loop between blocks; the reading is on the asker's account.
 */
export async function serveObjects(
  request: RequestObjects,
  chain: Pick<ChainPort, 'tip' | 'rawBlock'>,
  work: Pick<WorkBudget, 'measure'>,
): Promise<Buffer> {
  const yielder = new EventLoopYielder();
  const blocks: RawBlock[] = [];
  const missed: Buffer[] = [];
  const seen = new Set<string>();
  let bytes = 0;
  for (const hash of request.blocks) {
    const key = hashKey(hash);
    if (seen.has(key)) continue;
    seen.add(key);
    await yielder.yieldIfDue();
    const raw = bytes < ANSWER_BYTES && blocks.length < MAX_IDS ? work.measure(() => chain.rawBlock(hash)) : undefined;
    const size = raw === undefined ? 0 : rawBlockBytes(raw);
    if (raw === undefined || (blocks.length > 0 && bytes + size > ANSWER_BYTES)) {
      missed.push(hash);
      continue;
    }
    blocks.push(raw);
    bytes += size;
  }
  const currentHeight = chain.tip().height + 1;
  return work.measure(() => responseObjects.encode({ transactions: [], blocks, missed, currentHeight }));
}
