import type { KeyPair } from '@wrkz/crypto';
import type { PowAnswer, PowRequest } from '../pow-client/pow-client';

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
