import type { Network } from '@wrkz/core-types';
import type { SubWallet } from '../ledger/model';

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
