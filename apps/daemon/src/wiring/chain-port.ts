import { BelowFloor, type ChainReader, CorruptDatabase, type StorageMode } from '@wrkz/chain-db';
import type { RawBlock } from '@wrkz/core-types';
import { cnFastHash } from '@wrkz/crypto';
import { type AnnouncedWork, largestBlock, transactionsOfBlock, type WorkVerdict } from '../chain/announced-work';
import type { AddBlockResult } from '../chain/results';
import type { ChainService, CommitEvent } from '../chain/service';
import type { DamageWatch } from '../damage/damage-watch';
import type { ChainAdvance, ChainPort, KeptBlocks } from '../p2p/ports';

/** Blocks that a peer may be ahead of us, some two years, when we judge the size of a block that may stand far above our tip. */
const UNKNOWN_AHEAD = 1_000_000;

type Listener = (commit: ChainAdvance) => void;

/**
 * The chain as the peers' side sees it: changes through the engine, look-ups through a reader of its own. What the disk has
 * damaged is not served: a block or transaction counts as one that we do not have, and where a peer would be judged by a
 * damaged look-up it throws, which ends the exchange and is nobody's fault.
 */
export class P2pChain implements ChainPort {
  private readonly wrapped = new Map<Listener, (event: CommitEvent) => void>();

  constructor(
    private readonly service: ChainService,
    private readonly reader: ChainReader,
    private readonly work: AnnouncedWork,
    private readonly damage: DamageWatch,
    /** What the options say. */
    private readonly storage: StorageMode = { kind: 'full' },
  ) {}

  keeps(): KeptBlocks {
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
    return this.damage.noted(() => this.reader.heightOf(hash));
  }

  hashAt(height: number): Buffer | undefined {
    return this.damage.noted(() => this.reader.hashAt(height));
  }

  hashes(start: number, count: number): Buffer[] {
    return this.damage.noted(() => this.reader.hashes(start, start + count));
  }

  rawBlock(hash: Buffer): RawBlock | undefined {
    return this.damage.orUndefined(() =>
      ifKept(() =>
        this.reader.snapshot(() => {
          const height = this.reader.heightOf(hash);
          return height === undefined ? this.reader.alternative(hash)?.raw : this.reader.rawBlock(height);
        }),
      ),
    );
  }

  transaction(hash: Buffer): Buffer | undefined {
    return this.damage.orUndefined(() => {
      const bytes = ifKept(() => this.reader.transaction(hash)?.bytes);
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

  judgeWork(block: Buffer): Promise<WorkVerdict> {
    return this.work.judge(block);
  }

  addBlocks(blocks: readonly RawBlock[], source: 'sync' | 'relay', more?: boolean): Promise<readonly AddBlockResult[]> {
    return this.service.addBlocks(blocks, source, more);
  }

  on(_event: 'commit', listener: Listener): void {
    const wrapped = (event: CommitEvent): void => {
      if (event.kind !== 'alternative') listener({ added: event.added });
    };
    this.wrapped.set(listener, wrapped);
    this.service.on('commit', wrapped);
  }

  off(_event: 'commit', listener: Listener): void {
    const wrapped = this.wrapped.get(listener);
    if (wrapped === undefined) return;
    this.wrapped.delete(listener);
    this.service.off('commit', wrapped);
  }
}

/** What this node does not keep it does not have. */
function ifKept<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch (error) {
    if (error instanceof BelowFloor) return undefined;
    throw error;
  }
}
