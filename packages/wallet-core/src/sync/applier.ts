import { yieldToEventLoop } from '@wrkz/service-kit/base';
import type { SyncBlock } from '@wrkz/client';
import type { BlockStore } from './block-store';
import type { AppliedBlock, SyncLedger, UnindexedOutput } from '../ledger/ledger';
import { type ScannedBlock, scannedBatches, type UnreadableBlock } from './scanner';

/** Blocks that are taken from the store at once. */
const CHUNK = 500;
/** Milliseconds after which the event loop gets a turn. */
const TURN_MS = 5;
/** Between two times that applied batches are told of, while more of them wait. */
const TELL_MS = 100;

export interface ApplierEvents {
  readonly applied: (applied: AppliedBlock, block: SyncBlock) => void;
  /** The ledger was taken back from the block that it stood at: everything at or above the height is gone. */
  readonly rewound: (height: number, from: number) => void;
  /** A block could not be scanned or applied; it is passed. */
  readonly unreadable: (block: SyncBlock, error: unknown) => void;
  readonly unindexed: (outputs: readonly UnindexedOutput[]) => void;
  /** Batches are done, and readers can be shown what they brought. */
  readonly batch: () => void;
}

/** Brings stored blocks into the ledger, in order. */
export class Applier {
  #toldAt = -Infinity;
  /** Batches were applied that nobody was told of. */
  #untold = false;

  constructor(
    private readonly ledger: SyncLedger,
    private readonly store: BlockStore,
    private readonly events: ApplierEvents,
  ) {}

  /** Applies what is stored, until nothing is left or the signal fires. */
  async run(signal: AbortSignal): Promise<void> {
    try {
      while (!this.store.isEmpty && !signal.aborted) await this.#chunk(signal);
    } finally {
      if (this.#untold) this.#tell();
    }
  }

  /** A snapshot for readers costs more the longer the history is: there is one now and then, and one at the end. */
  #tell(): void {
    this.#untold = false;
    this.#toldAt = performance.now();
    this.events.batch();
  }

  /** Keys that come meanwhile end the chunk: the rest is scanned again, with them. */
  async #chunk(signal: AbortSignal): Promise<void> {
    const keys = this.ledger.scanKeys();
    for await (const batch of scannedBatches(this.store.first(CHUNK), keys)) {
      // The batch behind this one was just begun, which took its time too.
      await yieldToEventLoop();
      let turn = performance.now();
      for (const scanned of batch) {
        if (performance.now() - turn > TURN_MS) {
          await yieldToEventLoop();
          turn = performance.now();
        }
        // What is stored may have been thrown away while the loop had its turn.
        if (signal.aborted || this.store.first(1)[0] !== scanned.block || this.ledger.scanKeys() !== keys) return;
        this.#one(scanned);
        this.store.drop();
      }
      this.#untold = true;
      if (performance.now() - this.#toldAt > TELL_MS) this.#tell();
    }
  }

  #one(scanned: ScannedBlock | UnreadableBlock): void {
    const { block } = scanned;
    if (!this.#makeWay(block)) return;
    let applied: AppliedBlock;
    try {
      if ('error' in scanned) throw scanned.error;
      applied = this.ledger.apply(block, scanned.found, scanned.decryptedPaymentIds);
    } catch (error) {
      this.ledger.markTip(block.height, block.hash);
      this.events.unreadable(block, error);
      return;
    }
    const unindexed = unindexedOf(scanned);
    if (unindexed.length > 0) this.events.unindexed(unindexed);
    this.events.applied(applied, block);
  }

  /** Takes the ledger back where the block belongs below its tip: whether the block is to be applied. */
  #makeWay({ height, hash }: SyncBlock): boolean {
    const tip = this.ledger.position();
    if (tip.hash === undefined && tip.height === 0) return true;
    if (height > tip.height) return true;
    // The tip once more, and the first block, which is the same on every branch.
    if (height === tip.height && hash === tip.hash) return false;
    if (height === 0) return false;
    this.ledger.rewind(height);
    this.events.rewound(height, tip.height);
    return true;
  }
}

/** A view wallet needs no indexes: it spends nothing. */
function unindexedOf({ block, found }: ScannedBlock): UnindexedOutput[] {
  const all = [block.coinbase, ...block.transactions];
  return found.flatMap(({ transaction, output, keyImage, globalIndex }) => {
    const hash = all[transaction]?.hash;
    if (hash === undefined || keyImage === undefined || globalIndex !== undefined) return [];
    return [{ blockHeight: block.height, transactionHash: hash, outputIndex: output }];
  });
}
