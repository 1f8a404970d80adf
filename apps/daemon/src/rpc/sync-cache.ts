import type { ChainReader } from '@wrkz/chain-db';
import { REORGANISATION_DEPTH } from '@wrkz/core-types';
import { LRUCache } from 'lru-cache';
import type { CommitEvent } from '../chain/service';
import type { QueryCaller, QueryName, QueryRunner, QueryTable } from './queries';
import { afterKnown, HASH_BYTES, MAX_BLOCKS_WALKED } from './queries/sync-blocks';
import type { WalletSyncQuery } from './queries/wallet-sync';

/** Emits the commits of the chain; only their kind is used here. */
export interface CommitSource {
  on(event: 'commit', listener: (event: Pick<CommitEvent, 'kind'>) => void): unknown;
  off(event: 'commit', listener: (event: Pick<CommitEvent, 'kind'>) => void): unknown;
}

export interface SyncCacheDependencies {
  /** Runs the queries that are not cached. */
  readonly queries: QueryRunner;
  /** Has the reader of the main thread, which may change. */
  readonly source: { readonly reader: Pick<ChainReader, 'tip' | 'heightOf' | 'floors'> };
  readonly chain: CommitSource;
}

/** Overhead of an entry in addition to its bytes: key, list entry and Buffer. */
const ENTRY_BYTES = 512;

/**
 * LRU cache of `/getwalletsyncdata` responses: many wallets request the same ranges of blocks. A response is cached if it
 * ends below the maximum depth of a reorganisation, because it stays the same while the chain grows. Any rewind clears the
 * cache, and responses of queries that started before it are not cached. The key contains the height of the first block, so
 * queries that specify the same start in different ways share an entry.
 */
export class SyncCache implements QueryRunner {
  private readonly responses: LRUCache<string, Buffer>;
  /** Rewinds so far: a query that started before the latest one may have read the old chain. */
  private rewinds = 0;
  /** Counts of queries with a key. */
  private hits = 0;
  private misses = 0;

  constructor(
    private readonly dependencies: SyncCacheDependencies,
    maxBytes: number,
  ) {
    this.responses = new LRUCache({
      maxSize: maxBytes,
      sizeCalculation: (response) => response.length + ENTRY_BYTES,
    });
    dependencies.chain.on('commit', this.onCommit);
  }

  get figures(): { bytes: number; entries: number; hits: number; misses: number } {
    const { calculatedSize: bytes, size: entries } = this.responses;
    return { bytes, entries, hits: this.hits, misses: this.misses };
  }

  async run<Name extends QueryName>(name: Name, query: QueryTable[Name], caller: QueryCaller): Promise<Buffer> {
    const { queries } = this.dependencies;
    const key = name === 'walletSyncData' ? this.keyOf(query as WalletSyncQuery) : undefined;
    if (key === undefined) return queries.run(name, query, caller);
    const cached = this.responses.get(key);
    if (cached !== undefined) {
      this.hits++;
      return cached;
    }
    this.misses++;
    const { rewinds } = this;
    const response = await queries.run(name, query, caller);
    if (rewinds === this.rewinds) this.responses.set(key, response);
    return response;
  }

  close(): void {
    this.dependencies.chain.off('commit', this.onCommit);
    this.responses.clear();
  }

  private readonly onCommit = (event: Pick<CommitEvent, 'kind'>): void => {
    if (event.kind !== 'switch') return;
    this.rewinds++;
    this.responses.clear();
  };

  /** Undefined if the response depends on the tip, or if its start cannot be found with a single lookup. */
  private keyOf(query: WalletSyncQuery): string | undefined {
    const { blockCount, endHeight, skipCoinbase, skipKeyOffsets, skipEmpty, encoding } = query;
    const start = this.startOf(query);
    if (start === undefined) return undefined;
    const walked = skipEmpty && skipCoinbase ? MAX_BLOCKS_WALKED : blockCount;
    const end = endHeight > 0 ? Math.min(endHeight, start + walked) : start + walked;
    if (end <= start || end + REORGANISATION_DEPTH > this.dependencies.source.reader.tip().height) return undefined;
    return [start, end, blockCount, +skipCoinbase, +skipKeyOffsets, +skipEmpty, encoding].join();
  }

  /** Like `resolveStart`, with one lookup: wallets send their newest block first, and it is nearly always on the main chain. */
  private startOf({ checkpoints, startHeight, startTimestamp }: WalletSyncQuery): number | undefined {
    const { reader } = this.dependencies.source;
    const floor = reader.floors().records;
    if (checkpoints.length > 0) {
      const height = reader.heightOf(checkpoints.subarray(0, HASH_BYTES));
      return height === undefined ? undefined : Math.max(floor, afterKnown(height));
    }
    if (startHeight < floor) return floor;
    return startHeight > 0 || startTimestamp === 0 ? startHeight : undefined;
  }
}
