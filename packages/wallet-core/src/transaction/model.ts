import type { Network } from '@wrkz/core-types';
import type { KeyPair } from '@wrkz/crypto';
import type { PendingSend, SubWallet } from '../ledger/model';
import type { PowAnswer, PowRequest } from '../pow-client/pow-client';

/** The fee of a send: the network's minimum, a rate in atomic units per byte (fractions allowed), or a fixed amount. */
export type FeeChoice =
  | { readonly kind: 'minimum' }
  | { readonly kind: 'perByte'; readonly rate: number }
  | { readonly kind: 'fixed'; readonly amount: bigint };

/** A send as a caller requests it, before any check. Omitted fields have defaults (docs/protocol/wallet.md#defaults). */
export interface SendRequest {
  readonly destinations: readonly { readonly address: string; readonly amount: bigint }[];
  readonly fee?: FeeChoice | undefined;
  /** Decoys per ring. */
  readonly mixin?: number | bigint | undefined;
  /** Whether a smaller ring may be used when the node has too few decoys; true by default. */
  readonly ringFallback?: boolean | undefined;
  /** '' means none. */
  readonly paymentId?: string | undefined;
  /** Omitted or empty: every address of the wallet. */
  readonly sourceAddresses?: readonly string[] | undefined;
  /** '' means the primary address. */
  readonly changeAddress?: string | undefined;
  /** 0 means the default. */
  readonly unlockTime?: bigint | undefined;
  /** Hex of free data, stored in the extra nonce. */
  readonly extra?: string | undefined;
  /** Hex of complete extra fields, placed behind the transaction key. */
  readonly extraFields?: string | undefined;
}

/**
 * A transaction that can still be mined although the wallet does not count it as a send: a node refused it, or it was given
 * up. A new send that could replace it must spend one of its inputs, so that only one of the two can be mined.
 */
export interface ContestedSend {
  readonly hash: string;
  /** One-time keys of its inputs, and the sub-wallets that own them. */
  readonly inputs: readonly { readonly key: string; readonly publicSpendKey: string }[];
  /** A block holds a transaction that spends one of them: only a reorganisation could bring this one back. */
  readonly isReplaced: boolean;
}

/** What building a transaction needs to know of the wallet and the chain at one moment. */
export interface SendContext {
  readonly network: Network;
  /** Index of the node's own top block. */
  readonly localHeight: number;
  /** Index of the network's top block, as the node reports it. */
  readonly networkHeight: number;
  /** Index of the highest block that the wallet has applied; the default unlock height follows from it. */
  readonly appliedHeight: number;
  readonly privateViewKey: string;
  readonly isViewWallet: boolean;
  readonly subWallets: readonly SubWallet[];
  readonly contested: readonly ContestedSend[];
  /** The ring that an earlier transaction used for an input, by its key image: a rebuild uses the same ring. */
  readonly ringOf: (keyImage: string) => readonly StoredRingMember[] | undefined;
}

export interface StoredRingMember {
  /** Global index. */
  readonly index: number;
  /** One-time key, hex. */
  readonly key: string;
}

/** A signed transaction, ready to be submitted, and what the wallet records of it. */
export interface SignedSend {
  readonly bytes: Buffer;
  readonly hash: string;
  readonly fee: bigint;
  /** Decoys per ring. */
  readonly mixin: number;
  /** The network's default at this height. */
  readonly defaultMixin: number;
  readonly pending: PendingSend;
  readonly rings: readonly { readonly keyImage: string; readonly members: readonly StoredRingMember[] }[];
}

/** What a response to a send reports. */
export type SendSummary = Pick<SignedSend, 'hash' | 'fee' | 'mixin' | 'defaultMixin'>;

/** The decoys that a node offers for one amount. Untrusted. */
export interface DecoySet {
  readonly amount: bigint;
  readonly outputs: readonly { readonly globalIndex: number | bigint; readonly key: string }[];
}

/** The result of /getrandom_outs. `tooFew`: the node refused and named the shortage (400 with error code 27). */
export type RandomOutsResult =
  | { readonly kind: 'outs'; readonly sets: readonly DecoySet[] }
  | { readonly kind: 'tooFew' }
  | { readonly kind: 'unavailable' };

/**
 * The result of /sendrawtransaction. `unavailable`: the node certainly did not receive it (no connection, or it serves
 * another chain). `uncertain`: the request was sent and no verdict came back; `ended` tells whether the node finished the
 * request.
 */
export type SubmitResult =
  | { readonly kind: 'accepted' }
  | { readonly kind: 'refused'; readonly reason: string | undefined }
  | { readonly kind: 'unavailable' }
  | { readonly kind: 'uncertain'; readonly ended: boolean };

/** Where a node has a transaction; `unavailable` when it gives no answer. */
export type TransactionStatus = 'block' | 'pool' | 'unknown' | 'unavailable';

/** The node as sending uses it. Failures of the node are results, never exceptions. */
export interface SendNode {
  /** One set per amount, in the order of the amounts, repeated amounts included; `count` outputs in each. */
  randomOuts(amounts: readonly bigint[], count: number): Promise<RandomOutsResult>;
  submit(transaction: Buffer): Promise<SubmitResult>;
  /**
   * Reports that the serving node cannot be trusted with decoys.
   * @returns whether another node serves from now on
   */
  reportFaulty(reason: string): Promise<boolean>;
  /** `unknown` is only reported by the node that received the last submission: another node's ignorance proves nothing. */
  transactionStatus(hash: string): Promise<TransactionStatus>;
}

/** The environment of a build. The randomness inside signatures comes from the native module. */
export interface SendPorts {
  readonly node: SendNode;
  readonly pow: { findNonce(request: PowRequest): Promise<PowAnswer> };
  /** A fresh transaction key pair from the operating system's randomness. */
  readonly transactionKeys: () => KeyPair;
  /** Unix seconds. */
  readonly now: () => number;
  /** Aborts a build that is not finished, for example when the wallet closes. */
  readonly signal?: AbortSignal;
  /** Reports that a send used a smaller ring than requested. */
  readonly onRingFallback?: (event: { readonly requested: number; readonly used: number }) => void;
}
