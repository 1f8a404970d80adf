import type { AwaitedSpends } from './awaited-spends';
import type { ChainProgress } from './chain-progress';
import type { HeldTransactions } from './held-transactions';
import type { History } from './history';
import type { OutputBook } from './output-book';

/** What the steps of the ledger work on. */
export interface LedgerParts {
  readonly outputs: OutputBook;
  readonly history: History;
  readonly awaited: AwaitedSpends;
  readonly held: HeldTransactions;
  readonly progress: ChainProgress;
}

/** Takes the change of a send out of the amounts that are waited for. */
export function unexpectChange({ outputs }: LedgerParts, transactionHash: string): void {
  for (const book of outputs.all()) {
    for (const { key, parentTransactionHash } of [...book.unconfirmedIncoming().values()]) {
      if (parentTransactionHash === transactionHash) book.unexpect(key);
    }
  }
}
