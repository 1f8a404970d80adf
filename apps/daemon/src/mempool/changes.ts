import type { TransactionPool } from './pool';

/** The difference between the pool and a client's list of it. */
export interface PoolChanges {
  /** Best first; `prefix` is the transaction without its signatures. */
  readonly added: readonly { readonly hash: Buffer; readonly prefix: Buffer }[];
  /** Hex ids of the client's list that are not in the pool. */
  readonly gone: readonly string[];
}

/**
 * Max bytes of prefixes in a list of added transactions (at least one is in it). As JSON they are about four times as many,
 * the max size of a response.
 */
const MAX_BYTES = 2 * 1024 * 1024;

/** @param known ids in lower-case hex */
export function changesSince(pool: Pick<TransactionPool, 'list' | 'has'>, known: ReadonlySet<string>): PoolChanges {
  const added: { hash: Buffer; prefix: Buffer }[] = [];
  let bytes = 0;
  for (const { id, parsed } of pool.list()) {
    if (known.has(id)) continue;
    bytes += parsed.prefixBytes.length;
    if (bytes > MAX_BYTES && added.length > 0) break;
    added.push({ hash: parsed.hash, prefix: parsed.prefixBytes });
  }
  return { added, gone: [...known].filter((id) => !pool.has(Buffer.from(id, 'hex'))) };
}
