/** Something that an address of the wallet received, in a block. */
export interface Receipt {
  /** Of the transaction, 64 hex characters in lower case. */
  readonly hash: string;
  /** Atomic units, above 0: what the address received beyond what it spent in that transaction. */
  readonly amount: bigint;
  /** The index of the block. */
  readonly height: number;
  /** Unix seconds of the block. */
  readonly time: number;
  /** In lower case; empty for none. */
  readonly paymentId: string;
  readonly unlockTime: bigint;
}

/** Where a wallet stands. */
export interface WalletState {
  /** The index of the last block that it has looked at. */
  readonly height: number;
  /** Whether it has looked at all that its node knows of, or nearly so, and its node at all of the network's. */
  readonly isSynced: boolean;
  /** Its addresses, without payment ids. */
  readonly addresses: ReadonlySet<string>;
}

/** A wallet that tells its income. Each call throws WalletAway when there is no answer that can be used. */
export interface IncomeSource {
  state(signal: AbortSignal): Promise<WalletState>;
  /** What an address received in the blocks from `from` up to, not including, `to`. */
  receipts(address: string, from: number, to: number, signal: AbortSignal): Promise<Receipt[]>;
}

/** Blocks that a wallet may be behind and still counts as synchronized, as its own `isWalletSynced` has it; nor ahead by more. */
const NEARLY = 10;

/** Whether a wallet, and the node that it asks, stand where the network stands; all three in the same count of blocks. */
export function isAtTip({ wallet, node, network }: { wallet: number; node: number; network: number }): boolean {
  return node + 1 >= network && Math.abs(wallet - network) <= NEARLY;
}

/** What an address received in a transaction beyond what it spent: both may stand apart, each as often as it happened. */
export function incomeAmount(
  transfers: readonly { readonly address: string; readonly amount: bigint }[],
  address: string,
): bigint {
  return transfers.reduce((sum, transfer) => (transfer.address === address ? sum + transfer.amount : sum), 0n);
}

/** Why a wallet gave no usable answer, in words for the log. */
export class WalletAway extends Error {
  override readonly name: string = 'WalletAway';
}

/** The answer was longer than is read: less may be asked for. */
export class AnswerTooLong extends WalletAway {}
