import type { Network } from '@wrkz/core-types';
import type { KeyPair } from '@wrkz/crypto';
import type { PendingSend, SubWallet, WalletOutput } from '../ledger/model';
import type { PowResponse, PowRequest } from '../pow-client/pow-client';

/** The fee of a send: the network's minimum, a rate in atomic units per byte (may be fractional), or a fixed amount. */
export type FeeChoice =
  | { readonly kind: 'minimum' }
  | { readonly kind: 'perByte'; readonly rate: number }
  | { readonly kind: 'fixed'; readonly amount: bigint };

/** An unchecked request for a send. Omitted fields have defaults (docs/protocol/wallet.md#defaults). */
export interface SendRequest {
  readonly destinations: readonly { readonly address: string; readonly amount: bigint }[];
  readonly fee?: FeeChoice | undefined;
  /** Decoys per ring. */
  readonly mixin?: number | bigint | undefined;
  /** Whether a smaller ring may be used when the node has too few decoys; true by default. */
  readonly ringFallback?: boolean | undefined;
  /** '' means no payment id. */
  readonly paymentId?: string | undefined;
  /** Omitted or empty: all addresses of the wallet. */
  readonly sourceAddresses?: readonly string[] | undefined;
  /** Omitted or '': the primary address. */
  readonly changeAddress?: string | undefined;
  /** A height or Unix seconds; 0 selects the default unlock height. */
  readonly unlockTime?: bigint | undefined;
  /** Arbitrary data as hex, stored in the nonce field of extra. */
  readonly extra?: string | undefined;
  /** Complete fields of extra as hex, appended after the nonce field. */
  readonly extraFields?: string | undefined;
}

/**
 * A refused or given-up transaction that can still be mined. A new send from the same addresses must spend one of its
 * inputs, so that only one of the two can be mined.
 */
export interface ContestedSend {
  readonly hash: string;
  /** One-time keys of the inputs and the sub-wallets that own them. */
  readonly inputs: readonly { readonly key: string; readonly publicSpendKey: string }[];
  /** Whether a mined transaction spends one of the inputs, so that this one can be mined only after a reorganisation. */
  readonly isReplaced: boolean;
}

/** The state of wallet and chain for building a transaction. */
export interface SendContext {
  readonly network: Network;
  /** Index of the node's own top block. */
  readonly localHeight: number;
  /** Index of the network's top block, as the node reports it. */
  readonly networkHeight: number;
  /** Index of the highest applied block, from which the default unlock height is computed. */
  readonly appliedHeight: number;
  readonly privateViewKey: string;
  readonly isViewWallet: boolean;
  readonly subWallets: readonly SubWallet[];
  readonly contested: readonly ContestedSend[];
  /** Returns the ring of an earlier transaction with this key image (hex) and amount, which a rebuild must use again. */
  readonly ringOf: (keyImage: string, amount: bigint) => readonly RingMember[] | undefined;
}

export interface RingMember {
  /** Global index. */
  readonly index: number;
  /** One-time key, hex. */
  readonly key: string;
}

/** A signed transaction, with the data that the wallet records before submitting it. */
export interface SignedSend {
  readonly bytes: Buffer;
  readonly hash: string;
  readonly fee: bigint;
  /** Decoys per ring. */
  readonly mixin: number;
  /** The network's default number of decoys per ring at this height. */
  readonly defaultMixin: number;
  readonly pending: PendingSend;
  readonly rings: readonly { readonly keyImage: string; readonly members: readonly RingMember[] }[];
}

/** The fields of the response to a send. */
export type SendSummary = Pick<SignedSend, 'hash' | 'fee' | 'mixin' | 'defaultMixin'>;

/** The decoys that a node returned for one amount. Untrusted. */
export interface DecoySet {
  readonly amount: bigint;
  readonly outputs: readonly { readonly globalIndex: number | bigint; readonly key: string }[];
}

/** The result of /getrandom_outs. `tooFew`: the node has too few outputs (400 with error code 27). */
export type RandomOutsResult =
  | { readonly kind: 'outs'; readonly sets: readonly DecoySet[] }
  | { readonly kind: 'tooFew' }
  | { readonly kind: 'unavailable' };

/**
 * The result of /sendrawtransaction. `unavailable`: the node certainly did not receive the transaction, because the
 * connection failed or the node serves another chain. `uncertain`: the request was sent without a conclusive response;
 * `ended` is true if the node completed the request.
 */
export type SubmitResult =
  | { readonly kind: 'accepted' }
  | { readonly kind: 'refused'; readonly reason: string | undefined }
  | { readonly kind: 'unavailable' }
  | { readonly kind: 'uncertain'; readonly ended: boolean };

/** Location of a transaction at a node; `unavailable` if the node does not respond. */
export type TransactionStatus = 'block' | 'pool' | 'unknown' | 'unavailable';

/** The requests of a send to a node. Failures of the node are returned, never thrown. */
export interface SendNode {
  /** Requests `count` outputs per amount. Returns one set per amount, in the order of the amounts, including repeated ones. */
  randomOuts(amounts: readonly bigint[], count: number): Promise<RandomOutsResult>;
  submit(transaction: Buffer): Promise<SubmitResult>;
  /**
   * Reports that the serving node returned faulty decoys.
   * @returns whether another node serves now
   */
  reportFaulty(reason: string): Promise<boolean>;
  /** Only the node that received the last submission can return `unknown`: another node may not have the transaction yet. */
  transactionStatus(hash: string): Promise<TransactionStatus>;
}

/** External dependencies for building a transaction. The native module generates the randomness of signatures. */
export interface SendPorts {
  readonly node: SendNode;
  readonly pow: { findNonce(request: PowRequest): Promise<PowResponse> };
  /** Generates a transaction key pair with the operating system's random generator. */
  readonly transactionKeys: () => KeyPair;
  /** Unix seconds. */
  readonly now: () => number;
  /** Aborts the build, for example when the wallet closes. */
  readonly signal?: AbortSignal;
  /** Reports outputs of one amount with the same global index, so that some of the indexes are wrong. */
  readonly onIndexConflict?: (outputs: readonly WalletOutput[]) => Promise<void>;
  /** Reports that a send used a smaller ring than requested. */
  readonly onRingFallback?: (event: { readonly requested: number; readonly used: number }) => void;
}
