import { EventLoopYielder, yieldToEventLoop } from '@wrkz/service-kit/base';
import { type IndexesByTransaction, NodeFailure, type SyncBlock } from '@wrkz/client';
import type { BlockStore } from './block-store';
import { ReceivedImages } from '../ledger/key-image-filter';
import type { SyncLedger } from '../ledger/ledger';
import type { WalletTransaction } from '../ledger/model';
import { type BlockVerdict, type SyncBlockVerifier, claimOf } from './block-verifier';
import { type ScannedBlock, scannedBatches, type UnreadableBlock } from './scanner';

const BLOCKS_PER_SCAN = 500;
/** Milliseconds of work between two yields to the event loop. */
const SLICE_MS = 5;
/** Min milliseconds between two `batch` events while blocks are waiting. */
const BATCH_EVENT_MS = 100;

interface ApplierEvents {
  readonly applied: (transactions: readonly WalletTransaction[], block: SyncBlock) => void;
  /** Rewinds the ledger: the block at this height replaces another one. */
  readonly rewind: (height: number) => void;
  /** Called for a block that could not be scanned or applied and was skipped. */
  readonly unreadable: (block: SyncBlock, error: unknown) => void;
  /** Called after batches were applied, to publish a snapshot. */
  readonly batch: () => void;
}

/** Scans stored blocks and applies them to the ledger, in order. */
export class Applier {
  private reportedAt = -Infinity;
  /** Whether batches were applied since the last `batch` event. */
  private unreported = false;

  constructor(
    private readonly ledger: SyncLedger,
    private readonly store: BlockStore,
    private readonly verifier: SyncBlockVerifier,
    private readonly events: ApplierEvents,
  ) {}

  /**
   * Applies the stored blocks until the store is empty or the signal aborts.
   * @throws NodeFailure when the serving node reported contents that the bytes of a block do not have; nothing of that batch
   * is applied
   */
  async run(signal: AbortSignal): Promise<void> {
    try {
      while (!this.store.isEmpty && !signal.aborted) await this.chunk(signal);
    } finally {
      if (this.unreported) this.report();
    }
  }

  /** Throttles `batch`, because a snapshot of a long history is expensive. One event always follows the last block. */
  private report(): void {
    this.unreported = false;
    this.reportedAt = performance.now();
    this.events.batch();
  }

  /** Applies one chunk. If keys are added, it ends early, and the remaining blocks are scanned again with the new keys. */
  private async chunk(signal: AbortSignal): Promise<void> {
    const keys = this.ledger.scanKeys();
    for await (const batch of scannedBatches(this.store.first(BLOCKS_PER_SCAN), keys)) {
      const claims = this.ownBlocks(batch).map(claimOf);
      const { verdicts, indexes } = await this.verifier.verify(claims, signal);
      if (this.store.next !== batch[0]?.block) return;
      for (const { height, hash } of claims) requireVerified(height, verdicts.get(hash));
      // Starting the scan of the next batch has just blocked the event loop: yield first.
      await yieldToEventLoop();
      const yielder = new EventLoopYielder(SLICE_MS);
      for (const scanned of batch) {
        if (yielder.isDue) await yielder.yieldIfDue();
        // A reset may have cleared the store during the yield.
        if (signal.aborted || this.store.next !== scanned.block || this.ledger.scanKeys() !== keys) return;
        this.unreported = true;
        this.apply(withIndexes(scanned, indexes), verdicts.get(scanned.block.hash) !== 'unverified');
        this.store.drop();
      }
      if (performance.now() - this.reportedAt > BATCH_EVENT_MS) this.report();
    }
  }

  /** Blocks with own outputs or own spends. A forged spend could make a send look mined or replaced. */
  private ownBlocks(batch: readonly (ScannedBlock | UnreadableBlock)[]): SyncBlock[] {
    const received = new ReceivedImages();
    return batch.flatMap((one) => {
      if ('error' in one) return [];
      for (const { keyImage } of one.found) if (keyImage !== undefined) received.add(keyImage);
      return one.found.length > 0 || this.ledger.hasOwnSpend(one.block, received) ? [one.block] : [];
    });
  }

  private apply(scanned: ScannedBlock | UnreadableBlock, isVerified: boolean): void {
    const { block } = scanned;
    if (!this.rewindBelow(block)) return;
    let transactions: readonly WalletTransaction[];
    try {
      if ('error' in scanned) throw scanned.error;
      transactions = this.ledger.apply(block, scanned.found, scanned.decryptedPaymentIds, isVerified);
    } catch (error) {
      this.ledger.markTip(block.height, block.hash);
      this.events.unreadable(block, error);
      return;
    }
    this.events.applied(transactions, block);
  }

  /** Rewinds the ledger if the block is not above its tip. @returns whether the block has to be applied */
  private rewindBelow({ height, hash }: SyncBlock): boolean {
    const tip = this.ledger.position();
    if (tip.hash === undefined && tip.height === 0) return true;
    if (height > tip.height) return true;
    // The tip itself, or the genesis block, which all branches share.
    if (height === tip.height && hash === tip.hash) return false;
    if (height === 0) return false;
    this.events.rewind(height);
    return true;
  }
}

/** Adds the global indexes that came with the bytes of the block, so that no further request is needed. */
function withIndexes<Block extends ScannedBlock | UnreadableBlock>(
  scanned: Block,
  indexes: IndexesByTransaction,
): Block {
  if ('error' in scanned || scanned.found.length === 0) return scanned;
  const { coinbase, transactions } = scanned.block;
  const found = scanned.found.map((one) => {
    const { hash = '' } = (one.transaction === 0 ? coinbase : transactions[one.transaction - 1]) ?? {};
    // A view wallet stores no indexes, like the C++ wallet.
    return one.keyImage === undefined ? one : { ...one, globalIndex: indexes.get(hash)?.[one.output] };
  });
  return { ...scanned, found };
}

/** @throws NodeFailure for a block that differs from the report of the serving node */
function requireVerified(height: number, verdict: BlockVerdict | undefined): void {
  if (verdict === 'disproved') {
    throw new NodeFailure(
      'malformed',
      `reports contents of block ${String(height)} that the bytes of the block do not have`,
    );
  }
  if (verdict === 'replaced') {
    throw new NodeFailure('failed', `no longer has block ${String(height)}: its chain was reorganised`);
  }
}
