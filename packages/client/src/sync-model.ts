/** Validated values of `/getwalletsyncdata`. Hashes and keys are 64 lower-case hex characters. */

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
  /** Empty, a long id (64 characters), or an encrypted short id (16 characters). */
  readonly paymentId: string;
  readonly inputs: readonly SyncInput[];
  readonly outputs: readonly SyncOutput[];
}

export interface SyncBlock {
  /** Block index. */
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
  /** In ascending order. Gaps are allowed only where empty blocks are omitted. */
  readonly blocks: readonly SyncBlock[];
  /** The highest index that the node scanned; undefined if the node does not report it. */
  readonly scannedTo: number | undefined;
  /** The tip of the node. Present if it has no more blocks to send. */
  readonly tip: SyncTip | undefined;
}

/** The parameters of a sync request (docs/protocol/wallet-sync.md#requests). */
export interface SyncRequest {
  /** Newest first. */
  readonly checkpoints: readonly string[];
  readonly startHeight: number;
  /** Unix seconds; 0 if `startHeight` is used. */
  readonly startTimestamp: number;
  readonly blockCount: number;
  readonly skipCoinbases: boolean;
  readonly skipEmptyBlocks: boolean;
  /** Exclusive; 0 for no end. */
  readonly endHeight: number;
  /** Requests keys in base64 from a node that responds in JSON. */
  readonly isBase64: boolean;
}
