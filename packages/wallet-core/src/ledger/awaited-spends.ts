import type { UnconfirmedAmount } from './model';

/** A pending send spends an output whose block a reorganisation removed. */
export interface AwaitedSpend {
  readonly keyImage: string;
  readonly spendingTransactionHash: string;
  readonly publicSpendKey: string;
  /** The expected change that it becomes if the send is given up before the block returns. */
  readonly amount: UnconfirmedAmount;
}

/**
 * Outputs that are locked as soon as their block returns, so that no second send spends them. In memory only: after a restart
 * the node would refuse the second send.
 */
export class AwaitedSpends {
  private readonly byImage = new Map<string, AwaitedSpend>();

  add(spend: AwaitedSpend): void {
    this.byImage.set(spend.keyImage, spend);
  }

  find(keyImage: string): AwaitedSpend | undefined {
    return this.byImage.get(keyImage);
  }

  delete(keyImage: string): void {
    this.byImage.delete(keyImage);
  }

  /** Removes and returns the spends of a send. */
  removeSend(hash: string): AwaitedSpend[] {
    const removed = [...this.byImage.values()].filter((spend) => spend.spendingTransactionHash === hash);
    for (const { keyImage } of removed) this.byImage.delete(keyImage);
    return removed;
  }

  removeOwner(publicSpendKey: string): void {
    for (const spend of [...this.byImage.values()]) {
      if (spend.publicSpendKey === publicSpendKey) this.byImage.delete(spend.keyImage);
    }
  }

  clear(): void {
    this.byImage.clear();
  }
}
