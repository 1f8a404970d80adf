/* What of a cache is of use; keys and hashes as 64 lower-case hex characters (docs/protocol/wallet.md#old-containers). */

export interface GreenTransaction {
  readonly hash: string;
  /** Whether it is or was with the network: the others failed, were cancelled or deleted, or never sent. */
  readonly isSent: boolean;
  readonly timestamp: number;
  /** Undefined while it is in no block. */
  readonly blockHeight: number | undefined;
  readonly fee: bigint;
  readonly unlockTime: bigint;
  /** As it stands in the extra: "", 64 characters, or 16 that are encrypted. */
  readonly paymentId: string;
  readonly isCoinbase: boolean;
}

export interface GreenSpend {
  /** Undefined while the spending transaction is in no block. */
  readonly blockHeight: number | undefined;
  readonly transactionHash: string;
}

export interface GreenOutput {
  /** Public spend key. */
  readonly owner: string;
  readonly amount: bigint;
  readonly globalIndex: number | undefined;
  readonly outputIndex: number;
  readonly transactionPublicKey: string;
  readonly keyImage: string;
  readonly unlockTime: bigint;
  /** Undefined while it is in no block. */
  readonly blockHeight: number | undefined;
  readonly transactionHash: string;
  readonly key: string;
  readonly spend: GreenSpend | undefined;
}

export interface GreenCache {
  /** Addresses that it knows, as public spend keys. */
  readonly addresses: ReadonlySet<string>;
  readonly transactions: readonly GreenTransaction[];
  /** Those that count: a duplicate of one key image does not. */
  readonly outputs: readonly GreenOutput[];
  /** Index of the last block that was looked at; -1 before the first. */
  readonly height: number;
}
