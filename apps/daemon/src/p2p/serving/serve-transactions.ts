import type { MissingTransactions, PoolRequest } from '@wrkz/levin';
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

/** The most transactions that one block can lack; far above what fits a block of the hard size limit. */
const MAX_MISSING = 10_000;
const MISSING_BYTES = 16 * 1024 * 1024;

/** Answers NOTIFY_MISSING_TXS from the pool or the chain; `undefined` when one of them is nowhere or it is too much. */
export function serveMissing(
  request: MissingTransactions,
  pool: Pick<PoolPort, 'get'>,
  chain: Pick<ChainPort, 'transaction'>,
): Buffer[] | undefined {
  const unique = new Map(request.hashes.map((hash) => [hashKey(hash), hash]));
  if (unique.size > MAX_MISSING) return undefined;
  const found: Buffer[] = [];
  let bytes = 0;
  for (const hash of unique.values()) {
    const transaction = pool.get(hash) ?? chain.transaction(hash);
    bytes += transaction?.length ?? 0;
    if (transaction === undefined || bytes > MISSING_BYTES) return undefined;
    found.push(transaction);
  }
  return found;
}
