import { groupBy } from '@wrkz/service-kit/base';
import type { TransactionKey, WalletContent, WalletTransaction } from './model';

/** A difference of a transfer of a confirmed transaction. */
export interface TransferAdjustment {
  readonly hash: string;
  readonly publicSpendKey: string;
  readonly amount: bigint;
}

type HistoryContent = Pick<WalletContent, 'transactions' | 'unconfirmed'>;

/** The confirmed transactions and unconfirmed sends of a wallet, and the transaction keys of its sends. */
export class History {
  private confirmed: WalletTransaction[] = [];
  private readonly byHash = new Map<string, WalletTransaction>();
  private readonly sends = new Map<string, WalletTransaction>();
  /** Sends that a reorganisation made unconfirmed again. */
  private readonly returned = new Set<string>();
  private readonly keys = new Map<string, TransactionKey>();
  private values: HistoryContent | undefined;
  private keyValues: readonly TransactionKey[] | undefined;

  /** Fills an empty history with the content of a file. Of transactions with the same hash, the first is used. */
  *loading(content: HistoryContent & Pick<WalletContent, 'transactionKeys'>): Generator<void, void> {
    for (const transaction of content.transactions) {
      if (!this.byHash.has(transaction.hash)) {
        this.byHash.set(transaction.hash, transaction);
        this.confirmed.push(transaction);
      }
      yield;
    }
    for (const send of content.unconfirmed) {
      if (!this.byHash.has(send.hash)) this.sends.set(send.hash, send);
      yield;
    }
    for (const key of content.transactionKeys) {
      this.keys.set(key.transactionHash, key);
      yield;
    }
  }

  confirmedTransaction(hash: string): WalletTransaction | undefined {
    return this.byHash.get(hash);
  }

  send(hash: string): WalletTransaction | undefined {
    return this.sends.get(hash);
  }

  /** An unconfirmed send that a reorganisation removed from a block. Its transfers are complete. */
  returnedSend(hash: string): WalletTransaction | undefined {
    return this.returned.has(hash) ? this.sends.get(hash) : undefined;
  }

  get hasSends(): boolean {
    return this.sends.size > 0;
  }

  /** Adds a transaction of a block, and removes the unconfirmed send of the same hash. */
  confirm(transaction: WalletTransaction): void {
    this.removeSend(transaction.hash);
    this.byHash.set(transaction.hash, transaction);
    this.confirmed.push(transaction);
    this.values = undefined;
  }

  addSend(transaction: WalletTransaction): void {
    this.sends.set(transaction.hash, transaction);
    this.values = undefined;
  }

  returnSend(transaction: WalletTransaction): void {
    this.addSend({ ...verifiedRecord(transaction), blockHeight: 0, timestamp: 0, unlockTime: 0n });
    this.returned.add(transaction.hash);
  }

  removeSend(hash: string): void {
    this.returned.delete(hash);
    if (this.sends.delete(hash)) this.values = undefined;
  }

  /**
   * Adds to transfers of confirmed transactions, in one pass: a stranger can make thousands of adjustments necessary.
   * @returns the adjusted transactions, oldest first
   */
  adjust(adjustments: readonly TransferAdjustment[]): WalletTransaction[] {
    if (adjustments.length === 0) return [];
    const byHash = groupBy(adjustments, ({ hash }) => hash);
    const adjusted: WalletTransaction[] = [];
    this.confirmed = this.confirmed.map((before) => {
      const own = byHash.get(before.hash);
      if (own === undefined) return before;
      const differences = new Map<string, bigint>();
      for (const { publicSpendKey, amount } of own) {
        differences.set(publicSpendKey, (differences.get(publicSpendKey) ?? 0n) + amount);
      }
      const transfers = before.transfers.map(({ publicSpendKey, amount }) => ({
        publicSpendKey,
        amount: amount + (differences.get(publicSpendKey) ?? 0n),
      }));
      const after = { ...before, transfers };
      this.byHash.set(after.hash, after);
      adjusted.push(after);
      return after;
    });
    this.values = undefined;
    return adjusted;
  }

  /** Removes and returns the transactions of blocks from `height` on, oldest first. */
  removeFrom(height: number): WalletTransaction[] {
    const removed = this.confirmed.filter(({ blockHeight }) => blockHeight >= height);
    for (const { hash } of removed) this.byHash.delete(hash);
    this.confirmed = this.confirmed.filter(({ blockHeight }) => blockHeight < height);
    this.values = undefined;
    return removed;
  }

  /** Confirmed transactions of unverified blocks. */
  unverified(): WalletTransaction[] {
    return this.confirmed.filter(({ unverifiedBlock }) => unverifiedBlock !== undefined);
  }

  /** @returns the transactions of the block that were not verified before */
  markVerified(height: number): WalletTransaction[] {
    const marked: WalletTransaction[] = [];
    this.confirmed = this.confirmed.map((transaction) => {
      if (transaction.blockHeight !== height || transaction.unverifiedBlock === undefined) return transaction;
      const record = verifiedRecord(transaction);
      this.byHash.set(record.hash, record);
      marked.push(record);
      return record;
    });
    this.values = undefined;
    return marked;
  }

  setKey(key: TransactionKey): void {
    this.keys.set(key.transactionHash, key);
    this.keyValues = undefined;
  }

  removeKey(transactionHash: string): void {
    if (this.keys.delete(transactionHash)) this.keyValues = undefined;
  }

  /** Removes the transfers of a sub-wallet, and the transactions that concern no other sub-wallet. */
  removeTransfersOf(publicSpendKey: string): void {
    const without = (transaction: WalletTransaction): WalletTransaction => ({
      ...transaction,
      transfers: transaction.transfers.filter((transfer) => transfer.publicSpendKey !== publicSpendKey),
    });
    this.confirmed = this.confirmed.map(without).filter(({ transfers }) => transfers.length > 0);
    this.byHash.clear();
    for (const transaction of this.confirmed) this.byHash.set(transaction.hash, transaction);
    for (const send of [...this.sends.values()].map(without)) {
      if (send.transfers.length > 0) this.sends.set(send.hash, send);
      else this.sends.delete(send.hash);
    }
    this.values = undefined;
  }

  clear(): void {
    this.confirmed = [];
    for (const map of [this.byHash, this.sends, this.returned, this.keys]) map.clear();
    this.values = undefined;
    this.keyValues = undefined;
  }

  /** The content. Unchanged arrays are the same objects as in the previous call. */
  content(): HistoryContent & Pick<WalletContent, 'transactionKeys'> {
    this.values ??= { transactions: this.confirmed.slice(), unconfirmed: [...this.sends.values()] };
    this.keyValues ??= [...this.keys.values()];
    return { ...this.values, transactionKeys: this.keyValues };
  }
}

function verifiedRecord({ unverifiedBlock: _, ...transaction }: WalletTransaction): WalletTransaction {
  return transaction;
}
