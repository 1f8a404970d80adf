import { type Balance, subWalletBalance, walletBalance } from '../ledger/queries';
import { findConfirmed, listTransactions, listUnconfirmed, type TransactionFilter } from '../ledger/queries';
import type { SubWallet, WalletContent, WalletTransaction } from '../ledger/model';

/** A wallet at one moment, for readers: nothing in it changes, and no write is waited for. */
export class WalletSnapshot {
  constructor(
    readonly content: WalletContent,
    /** The index by which locks are judged: the network's, or the wallet's own while no node has answered. */
    private readonly judgedAt: () => number,
    private readonly now: () => number,
  ) {}

  get subWallets(): readonly SubWallet[] {
    return this.content.subWallets;
  }

  get addresses(): readonly string[] {
    return this.content.subWallets.map(({ address }) => address);
  }

  get primary(): SubWallet | undefined {
    return this.content.subWallets.find(({ isPrimary }) => isPrimary) ?? this.content.subWallets[0];
  }

  /** Of these spend keys, or of the whole wallet; by the network's tip and the clock of now. */
  balance(publicSpendKeys?: Iterable<string>): Balance {
    return walletBalance(this.content, { height: this.judgedAt(), timestamp: this.now() }, publicSpendKeys);
  }

  /** Of one sub-wallet, without a look at the others. */
  balanceOf(subWallet: SubWallet): Balance {
    return subWalletBalance(subWallet, { height: this.judgedAt(), timestamp: this.now() });
  }

  transactions(filter?: TransactionFilter): WalletTransaction[] {
    return listTransactions(this.content, filter);
  }

  unconfirmed(publicSpendKey?: string): WalletTransaction[] {
    return listUnconfirmed(this.content, publicSpendKey);
  }

  /** A confirmed one. */
  transaction(hash: string): WalletTransaction | undefined {
    return findConfirmed(this.content, hash.toLowerCase());
  }

  transactionKey(hash: string): string | undefined {
    const wanted = hash.toLowerCase();
    return this.content.transactionKeys.find(({ transactionHash }) => transactionHash === wanted)?.secretKey;
  }
}
