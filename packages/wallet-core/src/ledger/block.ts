/**
 * A block as a wallet reads it: what `/getwalletsyncdata` tells, checked and in the forms of `model.ts`
 * (docs/protocol/wallet.md#applying-a-block). The values that the node client answers with fit here as they are.
 */

export interface AppliedInput {
  readonly keyImage: string;
  readonly amount: bigint;
}

export interface AppliedOutput {
  readonly key: string;
  readonly amount: bigint;
}

export interface AppliedTransaction {
  readonly hash: string;
  readonly transactionPublicKey: string;
  readonly unlockTime: bigint;
  /** As it stands in extra: "" for none, 16 characters of an encrypted one, 64 of a plain one. */
  readonly paymentId: string;
  readonly inputs: readonly AppliedInput[];
  readonly outputs: readonly AppliedOutput[];
}

export interface BlockToApply {
  readonly height: number;
  readonly hash: string;
  /** Unix seconds. */
  readonly timestamp: number;
  /** Undefined where coinbases are not scanned. */
  readonly coinbase: AppliedTransaction | undefined;
  readonly transactions: readonly AppliedTransaction[];
}

/** An output that the scanner found to be ours. */
export interface OwnOutputFound {
  /** 0 is the coinbase, whether it was read or not; then 1, 2, ... in the order of the block. */
  readonly transaction: number;
  /** Its place in its transaction. */
  readonly output: number;
  readonly publicSpendKey: string;
  /** Undefined in a view wallet. */
  readonly keyImage: string | undefined;
  readonly privateEphemeral: string | undefined;
  /** Where the node has told it already. */
  readonly globalIndex: number | undefined;
}
