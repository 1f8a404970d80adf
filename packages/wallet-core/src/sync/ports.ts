import type { IndexesByTransaction, SyncBlock } from '@wrkz/client';
import type { ScanStart, SyncProgress } from '../ledger/model';
import type { OwnOutputFound } from '../ledger/model';

/** The keys that blocks are scanned with, as hex. One object stands for one set of keys: another set is another object. */
export interface ScanKeys {
  readonly privateViewKey: string;
  readonly spendKeys: readonly {
    readonly publicSpendKey: string;
    /** Undefined in a view wallet. */
    readonly privateSpendKey: string | undefined;
  }[];
}

/** An own output of which no node has told the global index yet. */
export interface UnindexedOutput {
  /** Of the block that holds it. */
  readonly blockHeight: number;
  readonly transactionHash: string;
  readonly outputIndex: number;
}

/** The ledger as the synchronization sees it. Every call ends before it returns: none waits for anything. */
export interface SyncLedger<Applied> {
  /** The last block that was applied; no hash before the first. */
  position(): { readonly height: number; readonly hash: string | undefined };
  progress(): SyncProgress;
  scanKeys(): ScanKeys;
  scanStart(): ScanStart;
  /** The height is known from now on, and the timestamp has no more meaning. */
  startAt(height: number): void;
  apply(block: SyncBlock, found: readonly OwnOutputFound[], decryptedPaymentIds: ReadonlyMap<string, string>): Applied;
  /** Everything at or above the height goes. */
  rewind(height: number): void;
  /** Nothing up to this block is left to be looked at. */
  markTip(height: number, hash: string): void;
  setGlobalIndexes(indexes: IndexesByTransaction): void;
  unindexedOutputs(): readonly UnindexedOutput[];
  /** Own sends that are in no block yet. */
  unconfirmedHashes(): readonly string[];
  /** Another number each time that a send was given to a node. */
  departureOf(hash: string): number;
  cancelSend(hash: string): void;
}
