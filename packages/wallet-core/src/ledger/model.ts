import type { SyncBlock } from '@wrkz/client';

/** An output that the scanner found to be ours. */
export interface OwnOutputFound {
  /** 0 is the coinbase, whether it was read or not; then 1, 2, ... in the order of the block. */
  readonly transaction: number;
  /** Index in its transaction. */
  readonly output: number;
  readonly publicSpendKey: string;
  /** Undefined in a view wallet. */
  readonly keyImage: string | undefined;
  readonly privateEphemeral: string | undefined;
  /** Undefined if the node has not reported it yet. */
  readonly globalIndex: number | undefined;
}

/**
 * The ledger refuses a change that would break an invariant. The ledger is unchanged; the message names the block or the
 * send.
 */
export class LedgerFault extends Error {
  override readonly name = 'LedgerFault';
}

/**
 * The content of a wallet as immutable values. Keys, hashes and key images are 64 lower-case hex characters, as in the
 * container; amounts are atomic units; heights are block indexes (docs/protocol/wallet.md#container).
 */

/** An output of the chain that belongs to a sub-wallet. */
export interface WalletOutput {
  /** Undefined in a view wallet, which cannot compute it. */
  readonly keyImage: string | undefined;
  readonly amount: bigint;
  /** Height of its block. */
  readonly blockHeight: number;
  readonly transactionPublicKey: string;
  /** Index in its transaction. */
  readonly outputIndex: number;
  /** Undefined until a node has reported it. Such an output counts and cannot be spent. */
  readonly globalIndex: number | undefined;
  /** The one-time key. */
  readonly key: string;
  /** Height of the block that spent it; 0 while it is not spent. */
  readonly spendHeight: number;
  readonly unlockTime: bigint;
  /** Hash of the transaction that created it. */
  readonly parentTransactionHash: string;
  /** The one-time secret key, if known. */
  readonly privateEphemeral: string | undefined;
  /** Hash of the send that spends it (locked) or spent it. Undefined if another program wrote the file. */
  readonly spendingTransactionHash: string | undefined;
  /** Present while no node has proved the block that holds it: it counts as locked and is not spent. */
  readonly verified?: false;
}

/** The position of an own output whose global index is not known. */
export type UnindexedOutput = Pick<WalletOutput, 'blockHeight' | 'parentTransactionHash' | 'outputIndex'>;

/** Expected change of an unconfirmed send. */
export interface UnconfirmedAmount {
  readonly amount: bigint;
  readonly key: string;
  readonly parentTransactionHash: string;
}

/** Received less spent amount of one spend key in a transaction; 0 is listed too. */
export interface Transfer {
  readonly publicSpendKey: string;
  readonly amount: bigint;
}

export interface WalletTransaction {
  readonly transfers: readonly Transfer[];
  readonly hash: string;
  /** Inputs minus outputs of the whole transaction; 0 for a coinbase. */
  readonly fee: bigint;
  /** 0 while unconfirmed. */
  readonly blockHeight: number;
  /** Unix seconds of the block; 0 while unconfirmed. */
  readonly timestamp: number;
  /** Empty, or 16 or 64 hex characters. */
  readonly paymentId: string;
  /** 0 while unconfirmed. */
  readonly unlockTime: bigint;
  readonly isCoinbase: boolean;
  /** Hash of its block, present while no node has proved it by the bytes of that block. */
  readonly unverifiedBlock?: string;
}

/** A block with own outputs whose contents no node has proved (docs/protocol/wallet-sync.md#raw-blocks). */
export interface UnverifiedBlock {
  readonly height: number;
  readonly hash: string;
  readonly transactions: readonly WalletTransaction[];
  /** Own outputs of these transactions. */
  readonly outputs: readonly WalletOutput[];
  /** Own outputs that these transactions spend. */
  readonly spent: readonly WalletOutput[];
}

export interface SubWallet {
  /** 0 for the primary one and for imported keys. */
  readonly walletIndex: number;
  readonly publicSpendKey: string;
  /** Undefined in a view wallet. */
  readonly privateSpendKey: string | undefined;
  readonly address: string;
  readonly isPrimary: boolean;
  /** Unix seconds; 0 if the scan begins at the height. */
  readonly syncStartTimestamp: number;
  readonly syncStartHeight: number;
  readonly unspent: readonly WalletOutput[];
  /** Inputs of unconfirmed sends. */
  readonly locked: readonly WalletOutput[];
  readonly spent: readonly WalletOutput[];
  readonly unconfirmedIncoming: readonly UnconfirmedAmount[];
  /**
   * One-time keys of retired outputs: a second output with such a key is worthless. Absent if another program wrote the file
   * (docs/protocol/wallet.md#spent-outputs).
   */
  readonly retiredKeys?: readonly string[];
}

/** The scan position; hashes newest first. */
export interface SyncProgress {
  /** Index of the last block that was applied; 0 at the start. */
  readonly height: number;
  /** At most 50. */
  readonly recentHashes: readonly string[];
  readonly checkpointHashes: readonly string[];
}

/** Where the first scan begins. One of the fields is 0; both are 0 for the whole chain. */
export interface ScanStart {
  readonly height: number;
  /** Unix seconds. */
  readonly timestamp: number;
}

export interface TransactionKey {
  readonly transactionHash: string;
  readonly secretKey: string;
}

/** The whole content: that of a container and of an export. */
export interface WalletContent {
  readonly privateViewKey: string;
  readonly isViewWallet: boolean;
  readonly subWallets: readonly SubWallet[];
  /** The highest deterministic index that was used. */
  readonly subWalletIndexCounter: number;
  /** Confirmed transactions in the order in which they were applied. */
  readonly transactions: readonly WalletTransaction[];
  /** Unconfirmed sends. */
  readonly unconfirmed: readonly WalletTransaction[];
  readonly transactionKeys: readonly TransactionKey[];
  readonly progress: SyncProgress;
  /** Start of the first scan, unix seconds; 0 if it began at the height. */
  readonly startTimestamp: number;
  readonly startHeight: number;
  /** Unknown fields of the file by the path of their object; they are written back. */
  readonly unknownFields: ReadonlyMap<string, Readonly<Record<string, unknown>>>;
}

/**
 * What the wallet records of a signed transaction before it is submitted (docs/protocol/wallet.md#own-sends), so that
 * neither a crash nor a lost response loses it.
 */
export interface PendingSend {
  readonly hash: string;
  readonly inputs: readonly { readonly output: WalletOutput; readonly publicSpendKey: string }[];
  /** All outputs that belong to the wallet, change and payments to itself, by their one-time keys. */
  readonly ownOutputs: readonly { readonly publicSpendKey: string; readonly amount: bigint; readonly key: string }[];
  readonly fee: bigint;
  /** As requested: a short one cannot be read back from the chain. */
  readonly paymentId: string;
  readonly unlockTime: bigint;
  readonly transactionSecretKey: string;
  /** How it is listed while it is in no block: what each own key spends, less its change. */
  readonly transfers: readonly Transfer[];
}

/** A spent output that left the ledger; the wallet database keeps it for a rewind or rescan below its spend. */
export interface RetiredOutput {
  readonly output: WalletOutput;
  /** Owner. */
  readonly publicSpendKey: string;
}

/**
 * One change of the ledger, as the wallet database logs it. Replaying the changes since a container was written on that
 * container's content gives the ledger as it was.
 */
export type LedgerChange =
  | {
      readonly kind: 'block';
      /** Only the transactions that concern the wallet. */
      readonly block: SyncBlock;
      readonly found: readonly OwnOutputFound[];
      readonly paymentIds: readonly (readonly [hash: string, paymentId: string])[];
      /** Present when no node has proved the block. */
      readonly verified?: false;
    }
  /** The contents of the block at this height were proved after it was applied. */
  | { readonly kind: 'verified'; readonly height: number }
  /** Blocks that do not concern the wallet: those among the last 50, and those that became checkpoints. */
  | { readonly kind: 'advance'; readonly blocks: readonly (readonly [height: number, hash: string])[] }
  | { readonly kind: 'rewind'; readonly height: number }
  | {
      readonly kind: 'indexes';
      readonly indexes: readonly (readonly [hash: string, indexes: readonly number[]])[];
      /** Known indexes were corrected as well. */
      readonly replace?: boolean;
    }
  | { readonly kind: 'send'; readonly send: PendingSend }
  /** `keepKey`: the transaction key stays, since a block may hold the transaction after all. */
  | { readonly kind: 'release'; readonly hash: string; readonly keepKey: boolean }
  | { readonly kind: 'transactionKey'; readonly key: TransactionKey }
  | { readonly kind: 'releaseAbandoned' }
  | { readonly kind: 'addSubWallet'; readonly subWallet: SubWallet; readonly counter: number }
  | { readonly kind: 'removeSubWallet'; readonly publicSpendKey: string }
  | { readonly kind: 'startAt'; readonly height: number }
  | { readonly kind: 'reset'; readonly scanHeight: number };
