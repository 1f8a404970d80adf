import type { Network } from '@wrkz/core-types';
import type { KeyPair } from '@wrkz/crypto';
import type { PendingSend, SubWallet, WalletOutput } from '../ledger/model';
import type { PowResponse, PowRequest } from '../pow-client/pow-client';

/** The fee of a send: the network's minimum, a rate in atomic units per byte (fractions allowed), or a fixed amount. */
export type FeeChoice =
  | { readonly kind: 'minimum' }
  | { readonly kind: 'perByte'; readonly rate: number }
  | { readonly kind: 'fixed'; readonly amount: bigint };

/** The request for a send, unchecked. Omitted fields have defaults (docs/protocol/wallet.md#defaults). */
export interface SendRequest {
  readonly destinations: readonly { readonly address: string; readonly amount: bigint }[];
  readonly fee?: FeeChoice | undefined;
  /** Decoys per ring. */
  readonly mixin?: number | bigint | undefined;
  /** Whether a smaller ring may be used when the node has too few decoys; true by default. */
  readonly ringFallback?: boolean | undefined;
  /** '' means no payment id. */
  readonly paymentId?: string | undefined;
  /** Omitted or empty: every address of the wallet. */
  readonly sourceAddresses?: readonly string[] | undefined;
  /** '' is the primary address. */
  readonly changeAddress?: string | undefined;
  /** A height or Unix seconds; 0 is the default unlock height. */
  readonly unlockTime?: bigint | undefined;
  /** Free data as hex, stored in the nonce field of extra. */
  readonly extra?: string | undefined;
  /** Complete fields of extra as hex, appended after the nonce field. */
  readonly extraFields?: string | undefined;
}

/**
 * A transaction that was refused by a node or given up, and can still be mined. A new send that could replace it must spend one
 * of its inputs, so that only one of the two can be mined.
 */
export interface ContestedSend {
  readonly hash: string;
  /** One-time keys of the inputs and the sub-wallets that own them. */
  readonly inputs: readonly { readonly key: string; readonly publicSpendKey: string }[];
  /** A mined transaction spends one of the inputs, so this one can be mined only after a reorganisation. */
  readonly isReplaced: boolean;
}

/** The state of wallet and chain that a transaction is built from. */
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
  /** The ring of an earlier transaction with this key image (hex). A rebuild uses the same ring. */
  readonly ringOf: (keyImage: string) => readonly RingMember[] | undefined;
}

/** An output in a ring. */
export interface RingMember {
  /** Global index. */
  readonly index: number;
  /** One-time key, hex. */
  readonly key: string;
}

/** A signed transaction and the data that the wallet records before it submits the transaction. */
export interface SignedSend {
  readonly bytes: Buffer;
  readonly hash: string;
  readonly fee: bigint;
  /** Decoys per ring. */
  readonly mixin: number;
  /** The network's default ring size at this height. */
  readonly defaultMixin: number;
  readonly pending: PendingSend;
  readonly rings: readonly { readonly keyImage: string; readonly members: readonly RingMember[] }[];
}

/** The fields of the response to a send. */
export type SendSummary = Pick<SignedSend, 'hash' | 'fee' | 'mixin' | 'defaultMixin'>;

/** The decoys that a node offers for one amount. Untrusted. */
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
 * The result of /sendrawtransaction. `unavailable`: the node certainly did not receive the transaction (no connection, or it
 * serves another chain). `uncertain`: the request was sent without a conclusive response; `ended` is true if the node
 * completed the request.
 */
export type SubmitResult =
  | { readonly kind: 'accepted' }
  | { readonly kind: 'refused'; readonly reason: string | undefined }
  | { readonly kind: 'unavailable' }
  | { readonly kind: 'uncertain'; readonly ended: boolean };

/** Where a node has a transaction; `unavailable` when the node does not respond. */
export type TransactionStatus = 'block' | 'pool' | 'unknown' | 'unavailable';

/** The node's part in a send. Failures of the node are results, never exceptions. */
export interface SendNode {
  /** One set per amount, in the order of the amounts, repeated amounts included; `count` outputs in each. */
  randomOuts(amounts: readonly bigint[], count: number): Promise<RandomOutsResult>;
  submit(transaction: Buffer): Promise<SubmitResult>;
  /**
   * Reports that the serving node cannot be trusted with decoys.
   * @returns whether another node serves from now on
   */
  reportFaulty(reason: string): Promise<boolean>;
  /** `unknown` is returned only for the node that received the last submission: another node need not have it. */
  transactionStatus(hash: string): Promise<TransactionStatus>;
}

/** Ports for building a transaction. The randomness of signatures comes from the native module. */
export interface SendPorts {
  readonly node: SendNode;
  readonly pow: { findNonce(request: PowRequest): Promise<PowResponse> };
  /** A fresh transaction key pair from the operating system's randomness. */
  readonly transactionKeys: () => KeyPair;
  /** Unix seconds. */
  readonly now: () => number;
  /** Aborts the build, for example when the wallet closes. */
  readonly signal?: AbortSignal;
  /** Reports outputs of one amount that have one global index, so that some of their indexes are wrong. */
  readonly onIndexConflict?: (outputs: readonly WalletOutput[]) => Promise<void>;
  /** Reports that a send used a smaller ring than requested. */
  readonly onRingFallback?: (event: { readonly requested: number; readonly used: number }) => void;
}
