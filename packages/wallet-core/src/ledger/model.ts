import type { SyncBlock } from '@wrkz/client';

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

/**
 * A step that the ledger refuses: it would break what the ledger keeps true. Nothing has changed when this is thrown; the
 * message names the block or the send.
 */
export class LedgerFault extends Error {
  override readonly name = 'LedgerFault';
}

/**
 * What a wallet knows, as values without behaviour. Keys, hashes and key images are 64 lower-case hex characters, which
 * serve as keys of maps and stand so in the container; amounts are atomic units; heights are indexes of blocks
 * (docs/protocol/wallet.md#container).
 */

/** An output of the chain that belongs to a sub-wallet. */
export interface WalletOutput {
  /** Undefined in a view wallet, which cannot make it. */
  readonly keyImage: string | undefined;
  readonly amount: bigint;
  /** Of the block that holds it. */
  readonly blockHeight: number;
  readonly transactionPublicKey: string;
  /** Its place in its transaction. */
  readonly outputIndex: number;
  /** Undefined until a node has told it; such an output counts and cannot be spent. */
  readonly globalIndex: number | undefined;
  /** The one-time key. */
  readonly key: string;
  /** Of the block that spent it; 0 while nothing has. */
  readonly spendHeight: number;
  readonly unlockTime: bigint;
  /** The transaction that made it. */
  readonly parentTransactionHash: string;
  /** The one-time secret, where it is known. */
  readonly privateEphemeral: string | undefined;
  /** The send that takes a locked output, or took a spent one. Undefined where another program wrote the file. */
  readonly spendingTransactionHash: string | undefined;
  /** Present while no node has proved the block that holds it: it counts as locked and is not spent. */
  readonly verified?: false;
}

/** Change of a send that is in no block yet. */
export interface UnconfirmedAmount {
  readonly amount: bigint;
  readonly key: string;
  readonly parentTransactionHash: string;
}

/** What a transaction gave to a spend key, minus what it took; 0 is listed too. */
export interface Transfer {
  readonly publicSpendKey: string;
  readonly amount: bigint;
}

export interface WalletTransaction {
  readonly transfers: readonly Transfer[];
  readonly hash: string;
  /** Inputs minus outputs of the whole transaction; 0 of a coinbase. */
  readonly fee: bigint;
  /** 0 while it is in no block. */
  readonly blockHeight: number;
  /** Unix seconds of the block; 0 while it is in none. */
  readonly timestamp: number;
  /** "" for none, else 16 or 64 characters. */
  readonly paymentId: string;
  /** 0 while it is in no block. */
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
}

export interface SubWallet {
  /** 0 for the primary one and for imported keys. */
  readonly walletIndex: number;
  readonly publicSpendKey: string;
  /** Undefined in a view wallet. */
  readonly privateSpendKey: string | undefined;
  readonly address: string;
  readonly isPrimary: boolean;
  /** Unix seconds, or 0 where the height says where to begin. */
  readonly syncStartTimestamp: number;
  readonly syncStartHeight: number;
  readonly unspent: readonly WalletOutput[];
  /** Taken by sends that are in no block yet. */
  readonly locked: readonly WalletOutput[];
  readonly spent: readonly WalletOutput[];
  readonly unconfirmedIncoming: readonly UnconfirmedAmount[];
  /**
   * One-time keys of outputs that have left `spent`: a second output with such a key is worth nothing. Absent where another
   * program wrote the file (docs/protocol/wallet.md#spent-outputs).
   */
  readonly retiredKeys?: readonly string[];
}

/** How far the chain has been read; hashes newest first. */
export interface SyncProgress {
  /** Index of the last block that was applied; 0 at the start. */
  readonly height: number;
  /** At most 50. */
  readonly recentHashes: readonly string[];
  readonly checkpointHashes: readonly string[];
}

/** Where a scan begins that has no progress yet: one of both is 0, and both are where the whole chain is read. */
export interface ScanStart {
  readonly height: number;
  /** Unix seconds. */
  readonly timestamp: number;
}

export interface TransactionKey {
  readonly transactionHash: string;
  readonly secretKey: string;
}

/** All of it: what a container holds, and what an export shows. */
export interface WalletContent {
  readonly privateViewKey: string;
  readonly isViewWallet: boolean;
  readonly subWallets: readonly SubWallet[];
  /** The highest deterministic index that was handed out. */
  readonly subWalletIndexCounter: number;
  /** In blocks, in the order in which they were applied. */
  readonly transactions: readonly WalletTransaction[];
  /** Own sends that are in no block yet. */
  readonly unconfirmed: readonly WalletTransaction[];
  readonly transactionKeys: readonly TransactionKey[];
  readonly progress: SyncProgress;
  /** Where the first scan began: unix seconds, or 0 where the height counts. */
  readonly startTimestamp: number;
  readonly startHeight: number;
  /** Members of the file that this program does not know, by the path of the object that holds them; written back as they were. */
  readonly unknownMembers: ReadonlyMap<string, Readonly<Record<string, unknown>>>;
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

/** The highest block whose content was applied. */
export interface AppliedTip {
  readonly height: number;
  /** Unix seconds of the block; 0 when unknown. */
  readonly timestamp: number;
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
