import type { MissingTransactions, PoolRequest } from '@wrkz/levin';
import { EventLoopYielder } from '@wrkz/service-kit/base';
import type { WorkBudget } from '../penalties/work-budget';
import type { ChainPort, PoolPort } from '../ports';
import { hashKey } from '../util/hash-key';
import { namedHashes } from './named-hashes';

/** One notification carries about so many bytes; a large pool takes several. */
const CHUNK_BYTES = 4 * 1024 * 1024;

/**
 * Answers NOTIFY_REQUEST_TX_POOL: the pool's transactions that the peer did not name, in portions; none when it has
 * them all.
 */
export function* servePool(request: PoolRequest, pool: Pick<PoolPort, 'hashes' | 'get'>): Generator<Buffer[]> {
  const hashes = pool.hashes();
  const named = namedHashes(hashes, request.packed);
  let chunk: Buffer[] = [];
  let bytes = 0;
  for (const hash of hashes) {
    const transaction = named.has(hash) ? undefined : pool.get(hash);
    if (transaction === undefined) continue;
    if (bytes > 0 && bytes + transaction.length > CHUNK_BYTES) {
      yield chunk;
      chunk = [];
      bytes = 0;
    }
    chunk.push(transaction);
    bytes += transaction.length;
  }
  if (chunk.length > 0) yield chunk;
}

const MISSING_BYTES = 16 * 1024 * 1024;

/**
 * Answers NOTIFY_MISSING_TXS from the pool or the chain; `undefined` when one of them is nowhere, or when it is more than
 * the block can hold. Gives way to the event loop in between; the reading is on the asker's account.
 */
export async function serveMissing(
  request: MissingTransactions,
  pool: Pick<PoolPort, 'get'>,
  chain: Pick<ChainPort, 'transaction' | 'transactionsOfBlock'>,
  work: Pick<WorkBudget, 'measure'>,
): Promise<Buffer[] | undefined> {
  if (request.hashes.length > chain.transactionsOfBlock(request.blockHash)) return undefined;
  const unique = new Map(request.hashes.map((hash) => [hashKey(hash), hash]));
  const yielder = new EventLoopYielder();
  const found: Buffer[] = [];
  let bytes = 0;
  for (const hash of unique.values()) {
    await yielder.yieldIfDue();
    const transaction = work.measure(() => pool.get(hash) ?? chain.transaction(hash));
    bytes += transaction?.length ?? 0;
    if (transaction === undefined || bytes > MISSING_BYTES) return undefined;
    found.push(transaction);
  }
  return found;
}
