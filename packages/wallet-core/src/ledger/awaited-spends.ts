import type { UnconfirmedAmount } from './model';

/** An output that a send under way takes, though the block that held it has gone with a reorganisation. */
export interface AwaitedSpend {
  readonly keyImage: string;
  readonly spendingTransactionHash: string;
  readonly publicSpendKey: string;
  /** What it is worth as change, should the send be cancelled while the block is still away. */
  readonly amount: UnconfirmedAmount;
}

/** Outputs that are taken when they come back, so that no second send takes them. Kept in memory alone: the node refuses too. */
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

  /** Takes out and gives back what the send was waiting for. */
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
