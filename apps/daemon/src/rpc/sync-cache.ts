import type { ChainReader } from '@wrkz/chain-db';
import type { Metrics } from '@wrkz/service-kit';
import { LRUCache } from 'lru-cache';
import type { CommitEvent } from '../chain/service';
import { REORGANISATION_DEPTH } from '@wrkz/core-types';
import type { QueryCaller, QueryName, QueryRunner, QueryTable } from './queries';
import { MAX_BLOCKS_WALKED } from './queries/limits';
import { afterKnown, HASH_BYTES } from './queries/range';
import type { WalletSyncQuery } from './queries/wallet-sync-data';

/** Who tells of commits; only the kind of each matters here. */
export interface CommitSource {
  on(event: 'commit', listener: (event: Pick<CommitEvent, 'kind'>) => void): unknown;
  off(event: 'commit', listener: (event: Pick<CommitEvent, 'kind'>) => void): unknown;
}

export interface SyncCacheParts {
  /** Where answers come from that are not kept. */
  readonly queries: QueryRunner;
  /** The reader of the main thread. */
  readonly reader: Pick<ChainReader, 'tip' | 'heightOf' | 'floors'>;
  /** Its commits tell of rewinds. */
  readonly chain: CommitSource;
  readonly maxBytes: number;
}

/** Beside its bytes an answer costs its key, its entry and a Buffer. */
const ENTRY_BYTES = 512;

/**
 * Keeps finished answers to `/getwalletsyncdata`: many wallets walk the same way, in the same steps. Kept is what ends deeper
 * below the tip than any reorganisation reaches, as such an answer stays the same to the byte while the chain grows; when
 * blocks are taken back all the same, all is dropped, and what was asked for before is not kept any more. A question counts
 * as the same when the block it starts at is, however the caller has named it.
 */
export class SyncCache implements QueryRunner {
  private readonly answers: LRUCache<string, Buffer>;
  /** Rewinds so far: an answer asked for before the latest may be of the old chain. */
  private rewinds = 0;
  /** Of the questions whose answers may be kept. */
  private hits = 0;
  private misses = 0;

  constructor(private readonly parts: SyncCacheParts) {
    this.answers = new LRUCache({
      maxSize: parts.maxBytes,
      sizeCalculation: (answer) => answer.length + ENTRY_BYTES,
    });
    parts.chain.on('commit', this.onCommit);
  }

  /** What it holds and how often it helped. */
  get figures(): { bytes: number; entries: number; hits: number; misses: number } {
    return { bytes: this.answers.calculatedSize, entries: this.answers.size, hits: this.hits, misses: this.misses };
  }

  async run<Name extends QueryName>(name: Name, query: QueryTable[Name], caller: QueryCaller): Promise<Buffer> {
    const key = name === 'walletSyncData' ? this.keyOf(query as WalletSyncQuery) : undefined;
    if (key === undefined) return this.parts.queries.run(name, query, caller);
    const kept = this.answers.get(key);
    if (kept !== undefined) {
      this.hits++;
      return kept;
    }
    this.misses++;
    const { rewinds } = this;
    const answer = await this.parts.queries.run(name, query, caller);
    if (rewinds === this.rewinds) this.answers.set(key, answer);
    return answer;
  }

  close(): void {
    this.parts.chain.off('commit', this.onCommit);
    this.answers.clear();
  }

  private readonly onCommit = (event: Pick<CommitEvent, 'kind'>): void => {
    if (event.kind !== 'switch') return;
    this.rewinds++;
    this.answers.clear();
  };

  /** Undefined where the answer may change with the tip, or its start is not told by a single look. */
  private keyOf(query: WalletSyncQuery): string | undefined {
    const { blockCount, endHeight, skipCoinbase, skipKeyOffsets, skipEmpty, encoding } = query;
    const start = this.startOf(query);
    if (start === undefined) return undefined;
    const walked = skipEmpty && skipCoinbase ? MAX_BLOCKS_WALKED : blockCount;
    const end = endHeight > 0 ? Math.min(endHeight, start + walked) : start + walked;
    if (end <= start || end + REORGANISATION_DEPTH > this.parts.reader.tip().height) return undefined;
    return [start, end, blockCount, +skipCoinbase, +skipKeyOffsets, +skipEmpty, encoding].join();
  }

  /** As `resolveStart` does it, as far as one look tells: a wallet names its newest block first, and mostly it stands. */
  private startOf({ checkpoints, startHeight, startTimestamp }: WalletSyncQuery): number | undefined {
    const floor = this.parts.reader.floors().records;
    if (checkpoints.length > 0) {
      const height = this.parts.reader.heightOf(checkpoints.subarray(0, HASH_BYTES));
      return height === undefined ? undefined : Math.max(floor, afterKnown(height));
    }
    if (startHeight < floor) return floor;
    return startHeight > 0 || startTimestamp === 0 ? startHeight : undefined;
  }
}

/** Publishes what a cache holds and how often it helped, under the names of the network's other nodes. */
export function publishSyncCache({ shared }: Metrics, figures: () => SyncCache['figures'] | undefined): void {
  const now = (): SyncCache['figures'] => figures() ?? { bytes: 0, entries: 0, hits: 0, misses: 0 };
  shared.gauge('wrkz_rpc_sync_cache_bytes', 'Bytes of kept wallet-sync answers', [], (gauge) => gauge.set(now().bytes));
  shared.gauge('wrkz_rpc_sync_cache_entries', 'Kept wallet-sync answers', [], (gauge) => gauge.set(now().entries));
  shared.counted('wrkz_rpc_sync_cache_hits_total', 'Wallet-sync answers given from those kept', () => now().hits);
  shared.counted(
    'wrkz_rpc_sync_cache_misses_total',
    'Wallet-sync answers that may be kept and were not there',
    () => now().misses,
  );
}
