import type { LockTime } from '@wrkz/consensus';
import { type Balance, subWalletBalance, walletBalance } from '../ledger/queries';
import type { SubWallet, WalletContent, WalletTransaction } from '../ledger/model';

/** Filter for confirmed transactions. Absent fields do not filter. */
export interface TransactionFilter {
  /** First block index. */
  readonly start?: number | undefined;
  /** Last block index, exclusive. */
  readonly end?: number | undefined;
  readonly publicSpendKey?: string | undefined;
  /** Case-sensitive. */
  readonly paymentId?: string | undefined;
  readonly hasPaymentId?: boolean | undefined;
}

/** The immutable state of a wallet at one moment. Readers never wait for a write. */
export class WalletSnapshot {
  constructor(
    readonly content: WalletContent,
    /** Unix seconds. */
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

  /** The balance of the given spend keys; by default of the whole wallet. */
  balance(publicSpendKeys?: Iterable<string>): Balance {
    return walletBalance(this.content, this.lockTime, publicSpendKeys);
  }

  balanceOf(subWallet: SubWallet): Balance {
    return subWalletBalance(subWallet, this.lockTime);
  }

  /** The wallet's own height and time: an unverified height of a node must not unlock outputs. */
  private get lockTime(): LockTime {
    return { height: this.content.progress.height, timestamp: this.now() };
  }

  /** Confirmed transactions in the order in which they were applied. */
  transactions(filter: TransactionFilter = {}): WalletTransaction[] {
    const { start = 0, end = Infinity, publicSpendKey, paymentId, hasPaymentId = false } = filter;
    return this.content.transactions.filter(
      (transaction) =>
        transaction.blockHeight >= start &&
        transaction.blockHeight < end &&
        (paymentId === undefined || transaction.paymentId === paymentId) &&
        !(hasPaymentId && transaction.paymentId === '') &&
        touches(transaction, publicSpendKey),
    );
  }

  /** Unconfirmed sends, oldest first. */
  unconfirmed(publicSpendKey?: string): WalletTransaction[] {
    return this.content.unconfirmed.filter((transaction) => touches(transaction, publicSpendKey));
  }

  /** A confirmed transaction by hash. The newest are searched first. */
  transaction(hash: string): WalletTransaction | undefined {
    const wanted = hash.toLowerCase();
    return this.content.transactions.findLast((transaction) => transaction.hash === wanted);
  }

  transactionKey(hash: string): string | undefined {
    const wanted = hash.toLowerCase();
    return this.content.transactionKeys.find(({ transactionHash }) => transactionHash === wanted)?.secretKey;
  }
}

const touches = ({ transfers }: WalletTransaction, publicSpendKey: string | undefined): boolean =>
  publicSpendKey === undefined || transfers.some((transfer) => transfer.publicSpendKey === publicSpendKey);
