import type { Network } from '@wrkz/core-types';
import type { KeyPair } from '@wrkz/crypto';
import type { SubWallet } from '../ledger/model';
import type { PowAnswer, PowRequest } from '../pow-client/pow-client';

/** How a sender wants the fee: the least there is, atomic units a byte (fractions allowed), or exactly so much. */
export type FeeChoice =
  | { readonly kind: 'minimum' }
  | { readonly kind: 'perByte'; readonly rate: number }
  | { readonly kind: 'fixed'; readonly amount: bigint };

/** What a caller asks for, not checked yet; what is left out has its default (docs/protocol/wallet.md#defaults). */
export interface SendRequest {
  readonly destinations: readonly { readonly address: string; readonly amount: bigint }[];
  readonly fee?: FeeChoice | undefined;
  /** Decoys a ring. */
  readonly mixin?: number | bigint | undefined;
  /** '' is none. */
  readonly paymentId?: string | undefined;
  /** None, or an empty list, is all of them. */
  readonly sourceAddresses?: readonly string[] | undefined;
  /** '' is the primary address. */
  readonly changeAddress?: string | undefined;
  /** 0 is the default. */
  readonly unlockTime?: bigint | undefined;
  /** Hex of free data. */
  readonly extra?: string | undefined;
  /** Hex of fields that go into extra as they are, behind the transaction key. */
  readonly extraFields?: string | undefined;
}

/** What sending needs to know of the wallet and the chain at one moment. */
export interface SpendView {
  readonly network: Network;
  /** Index of the node's own top block. */
  readonly localHeight: number;
  /** Index of the network's top block, as the node tells it. */
  readonly networkHeight: number;
  readonly privateViewKey: string;
  readonly isViewWallet: boolean;
  readonly subWallets: readonly SubWallet[];
}

/** What a node gave for one amount; nothing of it is believed. */
export interface DecoySet {
  readonly amount: bigint;
  readonly outputs: readonly { readonly globalIndex: number | bigint; readonly key: string }[];
}

/** An answer to /getrandom_outs. `tooFew`: a refusal that names the shortage (400 with error code 27). */
export type RandomOutsAnswer =
  | { readonly kind: 'outs'; readonly sets: readonly DecoySet[] }
  | { readonly kind: 'tooFew' }
  | { readonly kind: 'unavailable' };

/**
 * An answer to /sendrawtransaction. `unavailable`: the node certainly did not take it (no connection, or it was not asked
 * since it serves another chain). `unclear`: the request went out and no verdict came back; `ended` tells whether any answer did, so
 * that the node is done with it.
 */
export type RelayAnswer =
  | { readonly kind: 'accepted' }
  | { readonly kind: 'refused'; readonly reason: string | undefined }
  | { readonly kind: 'unavailable' }
  | { readonly kind: 'unclear'; readonly ended: boolean };

/** What a node says of a transaction's whereabouts; `unavailable` when it does not say. */
export type Whereabouts = 'block' | 'pool' | 'unknown' | 'unavailable';

/** What sending asks of a node. None of it throws for what a node does. */
export interface SpendNode {
  /** A set for each amount, repeats kept; `count` outputs in each. */
  randomOuts(amounts: readonly bigint[], count: number): Promise<RandomOutsAnswer>;
  relay(transaction: Buffer): Promise<RelayAnswer>;
  /** `unknown` is the word of the node that the last relay went to; that another one knows nothing of it proves nothing. */
  whereIs(hash: string): Promise<Whereabouts>;
}

/** The world around building a transaction. The randomness inside signatures is the native code's own. */
export interface SpendPorts {
  readonly node: SpendNode;
  readonly pow: { findNonce(request: PowRequest): Promise<PowAnswer> };
  /** A fresh key pair of the operating system's randomness for each transaction. */
  readonly transactionKeys: () => KeyPair;
  /** Unix seconds. */
  readonly now: () => number;
  /** Ends the work on a transaction that is not finished, e.g. when the wallet closes. */
  readonly signal?: AbortSignal;
}
