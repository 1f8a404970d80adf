import { AwaitedSpends } from './awaited-spends';
import { ChainProgress } from './chain-progress';
import { HeldTransactions } from './held-transactions';
import { History } from './history';
import type { WalletContent } from './model';
import { OutputBook } from './output-book';

/** Runs work that may be interrupted, without a break: for what is small. */
export function atOnce<T>(work: Generator<void, T>): T {
  for (;;) {
    const step = work.next();
    if (step.done === true) return step.value;
  }
}

/** What the steps of the ledger work on. */
export interface LedgerParts {
  readonly outputs: OutputBook;
  readonly history: History;
  readonly awaited: AwaitedSpends;
  readonly held: HeldTransactions;
  readonly progress: ChainProgress;
}

/** Makes them of what a file holds; a wallet of many transactions is interrupted between them. */
export function* partsOf(content: WalletContent): Generator<void, LedgerParts> {
  const outputs = new OutputBook();
  for (const subWallet of content.subWallets) yield* outputs.addingBook(subWallet);
  const history = new History();
  yield* history.taking(content);
  return {
    outputs,
    history,
    awaited: new AwaitedSpends(),
    held: new HeldTransactions(),
    progress: new ChainProgress(content.progress),
  };
}

/** Takes the change of a send out of the amounts that are waited for. */
export function unexpectChange({ outputs }: LedgerParts, transactionHash: string): void {
  for (const book of outputs.all()) {
    for (const { key, parentTransactionHash } of [...book.unconfirmedIncoming().values()]) {
      if (parentTransactionHash === transactionHash) book.unexpect(key);
    }
  }
}
