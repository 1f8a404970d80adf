import type { SyncProgress } from '../ledger/model';

/** Hashes of the newest blocks that are sent. */
const NEWEST = 50;
/** Old files may hold any number of sparse ones; no chain has more than this of one in 5,000 blocks. */
const SPARSE = 2_000;

/**
 * What a node is told of the blocks a wallet has, newest first: fetched ones, applied ones until there are 50, then the
 * sparse list (docs/protocol/wallet-sync.md#asking). Files of other programs repeat hashes; none is sent twice.
 */
export function checkpointsOf(fetched: readonly string[], progress: SyncProgress): string[] {
  const newest = new Set(fetched.slice(0, NEWEST));
  for (const hash of progress.recentHashes) {
    if (newest.size >= NEWEST) break;
    newest.add(hash);
  }
  const all = newest;
  for (const hash of progress.checkpointHashes.slice(0, SPARSE)) all.add(hash);
  return [...all];
}
