import type { TransactionPool } from './pool';

/** The difference between the pool and what somebody takes for it. */
export interface PoolChanges {
  /** Best first; `prefix` is the transaction without its signatures. */
  readonly added: readonly { readonly hash: Buffer; readonly prefix: Buffer }[];
  /** Hex ids. */
  readonly gone: readonly string[];
}

/**
 * Bytes of prefixes after which a list of added transactions ends (it has one in any case). In words they are about four
 * times as many, as much as an answer may hold; and handing over more would hold up the main thread.
 */
const MOST_BYTES = 2 * 1024 * 1024;

/** @param known ids in lower-case hex */
export function changesSince(pool: Pick<TransactionPool, 'list' | 'has'>, known: ReadonlySet<string>): PoolChanges {
  const added: { hash: Buffer; prefix: Buffer }[] = [];
  let bytes = 0;
  for (const { id, parsed } of pool.list()) {
    if (known.has(id)) continue;
    bytes += parsed.prefixBytes.length;
    if (bytes > MOST_BYTES && added.length > 0) break;
    added.push({ hash: parsed.hash, prefix: parsed.prefixBytes });
  }
  return { added, gone: [...known].filter((id) => !pool.has(Buffer.from(id, 'hex'))) };
}
