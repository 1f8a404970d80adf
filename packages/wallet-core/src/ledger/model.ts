import type { SyncBlock } from '@wrkz/client';

export interface OwnOutputFound {
  /** Number of the transaction: 0 is the coinbase, even if it was not fetched; then 1, 2, ... in block order. */
  readonly transaction: number;
  /** Index in its transaction. */
  readonly output: number;
  readonly publicSpendKey: string;
  /** Undefined in a view wallet. */
  readonly keyImage: string | undefined;
  readonly privateEphemeral: string | undefined;
  /** Undefined until a node reports it. */
  readonly globalIndex: number | undefined;
}

/**
 * The ledger rejected a change that would violate an invariant. The ledger is unchanged. The message identifies the block or
 * the send.
 */
export class LedgerFault extends Error {
  override readonly name = 'LedgerFault';
}

/**
 * The content of a wallet as immutable values. Keys, hashes and key images are 64 lower-case hex characters, as in the
 * container; amounts are atomic units; heights are block indexes (docs/protocol/wallet.md#container).
 */

/** A mined output that belongs to a sub-wallet, with the smaller ones that it replaced. */
export interface WalletOutput extends MinedOutput {
  /** Outputs with the same one-time key and smaller amounts, smallest first (docs/protocol/wallet.md#applying-a-block). */
  readonly replaced?: readonly MinedOutput[];
}

/** A mined output that belongs to a sub-wallet. */
export interface MinedOutput {
  /** Undefined in a view wallet, which cannot compute it. */
  readonly keyImage: string | undefined;
  readonly amount: bigint;
  readonly blockHeight: number;
  readonly transactionPublicKey: string;
  readonly outputIndex: number;
  /** Undefined until a node reports it. Until then the output is in the balance but cannot be spent. */
  readonly globalIndex: number | undefined;
  readonly key: string;
  /** Height of the block that spent it; 0 while it is not spent. */
  readonly spendHeight: number;
  readonly unlockTime: bigint;
  readonly parentTransactionHash: string;
  /** The one-time secret key, if known. */
  readonly privateEphemeral: string | undefined;
  /** Hash of the pending or mined send that spends the output. Undefined if another program wrote the file. */
  readonly spendingTransactionHash: string | undefined;
  /** Present while the block is unverified. The output then counts as locked and is not spent. */
  readonly verified?: false;
}

/** The position of an own output whose global index is unknown. */
export type UnindexedOutput = Pick<WalletOutput, 'blockHeight' | 'parentTransactionHash' | 'outputIndex'>;

/** An expected own output of an unconfirmed send. */
export interface UnconfirmedAmount {
  readonly amount: bigint;
  readonly key: string;
  readonly parentTransactionHash: string;
}

/** Received minus spent amount of one spend key in a transaction. Zero amounts are listed too. */
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
  /** Hash of its block. Present while the block is unverified. */
  readonly unverifiedBlock?: string;
}

/** A block of the ledger whose contents are not verified with its bytes yet (docs/protocol/wallet-sync.md#raw-blocks). */
export interface UnverifiedBlock {
  readonly height: number;
  readonly hash: string;
  readonly transactions: readonly WalletTransaction[];
  /** Own outputs of these transactions. */
  readonly outputs: readonly MinedOutput[];
  /** Own outputs that these transactions spend. */
  readonly spent: readonly WalletOutput[];
}

export interface SubWallet {
  /** 0 for the primary sub-wallet and for imported keys. */
  readonly walletIndex: number;
  readonly publicSpendKey: string;
  /** Undefined in a view wallet. */
  readonly privateSpendKey: string | undefined;
  readonly address: string;
  readonly isPrimary: boolean;
  /** Unix seconds; 0 if the scan begins at the start height. */
  readonly syncStartTimestamp: number;
  readonly syncStartHeight: number;
  readonly unspent: readonly WalletOutput[];
  /** Inputs of unconfirmed sends. */
  readonly locked: readonly WalletOutput[];
  readonly spent: readonly WalletOutput[];
  readonly unconfirmedIncoming: readonly UnconfirmedAmount[];
  /**
   * One-time keys of retired outputs, since a second output with the same key cannot be spent. Absent if another program
   * wrote the file (docs/protocol/wallet.md#spent-outputs).
   */
  readonly retiredKeys?: readonly string[];
}

/** The scan position; hashes newest first. */
export interface SyncProgress {
  /** Index of the last scanned block; 0 before the first one. */
  readonly height: number;
  /** At most 50. */
  readonly recentHashes: readonly string[];
  readonly checkpointHashes: readonly string[];
}

/** Start of the first scan. At least one of the fields is 0; both are 0 for the whole chain. */
export interface ScanStart {
  readonly height: number;
  /** Unix seconds. */
  readonly timestamp: number;
}

export interface TransactionKey {
  readonly transactionHash: string;
  readonly secretKey: string;
}

/** The content of a container or of an export. */
export interface WalletContent {
  readonly privateViewKey: string;
  readonly isViewWallet: boolean;
  readonly subWallets: readonly SubWallet[];
  /** The highest deterministic index that was used. */
  readonly subWalletIndexCounter: number;
  /** Confirmed transactions in the order in which they were applied. */
  readonly transactions: readonly WalletTransaction[];
  readonly unconfirmed: readonly WalletTransaction[];
  readonly transactionKeys: readonly TransactionKey[];
  readonly progress: SyncProgress;
  /** Start of the first scan, unix seconds; 0 if it began at the height. */
  readonly startTimestamp: number;
  readonly startHeight: number;
  /** Unknown fields of the file by the path of their object. They are written back. */
  readonly unknownFields: ReadonlyMap<string, Readonly<Record<string, unknown>>>;
}

/**
 * The record of a signed transaction, stored before it is submitted (docs/protocol/wallet.md#own-sends), so that it survives
 * a crash and a lost response.
 */
export interface PendingSend {
  readonly hash: string;
  readonly inputs: readonly { readonly output: WalletOutput; readonly publicSpendKey: string }[];
  /** All outputs that belong to the wallet: change and payments to itself. `key` is the one-time key. */
  readonly ownOutputs: readonly { readonly publicSpendKey: string; readonly amount: bigint; readonly key: string }[];
  readonly fee: bigint;
  /** As requested. A short payment id cannot be read back from the chain. */
  readonly paymentId: string;
  readonly unlockTime: bigint;
  readonly transactionSecretKey: string;
  /** The transfers listed while it is unconfirmed: per own spend key, change minus spent amount. */
  readonly transfers: readonly Transfer[];
}

/** A spent output that was removed from the ledger. The wallet database stores it for a rewind or rescan below its spend. */
export interface RetiredOutput {
  readonly output: WalletOutput;
  /** Key of the owning sub-wallet. */
  readonly publicSpendKey: string;
}

/**
 * One change of the ledger as logged in the wallet database. Applying the changes logged since a container was written to
 * the content of that container restores the ledger.
 */
export type LedgerChange =
  | {
      readonly kind: 'block';
      /** Only the transactions that concern the wallet. */
      readonly block: SyncBlock;
      readonly found: readonly OwnOutputFound[];
      readonly paymentIds: readonly (readonly [hash: string, paymentId: string])[];
      /** Present for an unverified block. */
      readonly verified?: false;
    }
  /** The contents of the block at this height were verified after it was applied. */
  | { readonly kind: 'verified'; readonly height: number }
  /** Blocks without transactions of the wallet. Only the last 50 and checkpoints are listed. */
  | { readonly kind: 'advance'; readonly blocks: readonly (readonly [height: number, hash: string])[] }
  | { readonly kind: 'rewind'; readonly height: number }
  | {
      readonly kind: 'indexes';
      readonly indexes: readonly (readonly [hash: string, indexes: readonly number[]])[];
      /** Known indexes are overwritten. */
      readonly replace?: boolean;
    }
  | { readonly kind: 'send'; readonly send: PendingSend }
  /** `keepKey`: the transaction key is retained, because the transaction may still be mined. */
  | { readonly kind: 'release'; readonly hash: string; readonly keepKey: boolean }
  | { readonly kind: 'transactionKey'; readonly key: TransactionKey }
  | { readonly kind: 'releaseAbandoned' }
  | { readonly kind: 'addSubWallet'; readonly subWallet: SubWallet; readonly counter: number }
  | { readonly kind: 'removeSubWallet'; readonly publicSpendKey: string }
  | { readonly kind: 'startAt'; readonly height: number }
  | { readonly kind: 'reset'; readonly scanHeight: number };
