/** Values of `/getwalletsyncdata` after their bounds were checked. Hashes and keys are 64 lower-case hex characters. */

export interface SyncInput {
  readonly keyImage: string;
  readonly amount: bigint;
}

export interface SyncOutput {
  readonly key: string;
  readonly amount: bigint;
}

export interface SyncTransaction {
  readonly hash: string;
  /** 64 zeros if the extra has no key. */
  readonly transactionPublicKey: string;
  readonly unlockTime: bigint;
  /** Empty, 64 characters of a long id, or 16 of an encrypted short one. */
  readonly paymentId: string;
  readonly inputs: readonly SyncInput[];
  readonly outputs: readonly SyncOutput[];
}

export interface SyncBlock {
  /** An index. */
  readonly height: number;
  readonly hash: string;
  /** Unix seconds. */
  readonly timestamp: number;
  /** Undefined if coinbases were not requested. */
  readonly coinbase: SyncTransaction | undefined;
  readonly transactions: readonly SyncTransaction[];
}

export interface SyncTip {
  readonly height: number;
  readonly hash: string;
}

export interface SyncResponse {
  /** Heights ascend; there are gaps only where empty blocks are left out. */
  readonly blocks: readonly SyncBlock[];
  /** The highest index that the node looked at; undefined where it does not say. */
  readonly scannedTo: number | undefined;
  /** The tip of the node; present when it has no more blocks to send. */
  readonly tip: SyncTip | undefined;
}

/** The parameters of a sync request (docs/protocol/wallet-sync.md#asking). */
export interface SyncRequest {
  /** Newest first. */
  readonly checkpoints: readonly string[];
  readonly startHeight: number;
  /** Unix seconds; 0 where the height counts. */
  readonly startTimestamp: number;
  readonly blockCount: number;
  readonly skipCoinbases: boolean;
  readonly skipEmptyBlocks: boolean;
  /** Exclusive; 0 for no end. */
  readonly endHeight: number;
  readonly isBase64: boolean;
}
