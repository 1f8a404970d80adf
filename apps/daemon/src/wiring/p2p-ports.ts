import { type ChainReader, CorruptDatabase, ifStored, type StorageMode } from '@wrkz/chain-db';
import type { RawBlock } from '@wrkz/core-types';
import { cnFastHash } from '@wrkz/crypto';
import { type AnnouncedWork, largestBlock, transactionsOfBlock, type WorkVerdict } from '../chain/announced-work';
import type { AddBlockResult } from '../chain/results';
import type { ChainService, CommitListener } from '../chain/service';
import type { DamageWatch } from '../damage/damage-watch';
import type { TransactionPool } from '../mempool/pool';
import type { ChainPort, BlockAvailability, PoolPort } from '../p2p/ports';

/** Max assumed distance of a block with an unknown parent above our tip, about two years. Determines its size limit. */
const UNKNOWN_AHEAD = 1_000_000;

/**
 * The chain for the peer-to-peer module: the engine adds blocks, a reader serves queries. Damaged blocks and transactions are not
 * served, as if they were missing. Damage in a lookup whose result could penalise a peer throws: the exchange ends without a
 * penalty.
 */
export class P2pChain implements ChainPort {
  constructor(
    private readonly service: ChainService,
    private readonly reader: ChainReader,
    private readonly work: AnnouncedWork,
    private readonly damage: DamageWatch,
    /** The configured mode. */
    private readonly storage: StorageMode = { kind: 'full' },
  ) {}

  availability(): BlockAvailability {
    return this.damage.noted(() =>
      this.reader.snapshot(() => {
        const { bodies, lite } = this.reader.floors();
        if (lite !== undefined) return { lite };
        const leftWindow = this.storage.kind === 'pruned' ? this.reader.height() + 1 - this.storage.depth : 0;
        return this.storage.kind === 'pruned' || bodies > 0 ? { pruned: Math.max(0, bodies, leftWindow) } : {};
      }),
    );
  }

  tip(): { height: number; hash: Buffer } {
    return this.damage.noted(() => this.reader.tip());
  }

  isKnown(hash: Buffer): boolean {
    return this.damage.noted(() => this.reader.hasBlock(hash));
  }

  heightOf(hash: Buffer): number | undefined {
    // The tips of the peers are looked up for each `/height` and `/info`.
    const key = `height of ${hash.toString('latin1')}`;
    return this.damage.noted(() => this.reader.cached(key, () => this.reader.heightOf(hash)));
  }

  hashAt(height: number): Buffer | undefined {
    return this.damage.noted(() => this.reader.hashAt(height));
  }

  hashes(start: number, count: number): Buffer[] {
    return this.damage.noted(() => this.reader.hashes(start, start + count));
  }

  rawBlock(hash: Buffer): RawBlock | undefined {
    return this.damage.orUndefined(() =>
      ifStored(() =>
        this.reader.snapshot(() => {
          const height = this.reader.heightOf(hash);
          return height === undefined ? this.reader.alternative(hash)?.raw : this.reader.rawBlock(height);
        }),
      ),
    );
  }

  transaction(hash: Buffer): Buffer | undefined {
    return this.damage.orUndefined(() => {
      const bytes = ifStored(() => this.reader.transaction(hash)?.bytes);
      if (bytes === undefined || cnFastHash(bytes).equals(hash)) return bytes;
      throw new CorruptDatabase(`the bytes of transaction ${hash.toString('hex')}`);
    });
  }

  transactionsOfBlock(previousHash: Buffer): number {
    const parent = this.reader.heightOf(previousHash);
    return transactionsOfBlock(parent === undefined ? this.reader.height() + UNKNOWN_AHEAD : parent + 1);
  }

  largestBlock(): number {
    return largestBlock(this.reader.height() + UNKNOWN_AHEAD);
  }

  checkProofOfWork(block: Buffer): Promise<WorkVerdict> {
    return this.work.judge(block);
  }

  addBlocks(blocks: readonly RawBlock[], source: 'sync' | 'relay', more?: boolean): Promise<readonly AddBlockResult[]> {
    return this.service.addBlocks(blocks, source, more);
  }

  on(event: 'commit', listener: CommitListener): void {
    this.service.on(event, listener);
  }

  off(event: 'commit', listener: CommitListener): void {
    this.service.off(event, listener);
  }
}

/** The pool for the peer-to-peer module. No penalty for a transaction that the damaged local chain cannot verify. */
export function p2pPool(pool: TransactionPool, damageWatch: DamageWatch): PoolPort {
  return {
    add: async (transaction, source) => {
      try {
        return await pool.add(transaction, source);
      } catch (error) {
        const damage = damageWatch.note(error);
        if (damage === undefined) throw error;
        return { accepted: false, message: damage.message, scope: 'none' };
      }
    },
    has: (hash) => pool.has(hash),
    get: (hash) => pool.get(hash)?.bytes,
    hashes: () => pool.hashes(),
    on: (event, listener) => pool.on(event, listener),
    off: (event, listener) => pool.off(event, listener),
  };
}
