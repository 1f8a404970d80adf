import { ChainProgress } from './chain-progress';
import type { HeldTransaction } from './held-transactions';
import { History } from './history';
import type { UnconfirmedAmount, WalletContent } from './model';
import { OutputBook } from './output-book';

/** Runs a generator to its end without yielding to the event loop. For small contents. */
export function runToEnd<T>(work: Generator<void, T>): T {
  for (;;) {
    const step = work.next();
    if (step.done === true) return step.value;
  }
}

/** A pending send spends an output whose block a reorganisation removed. */
interface AwaitedSpend {
  readonly spendingTransactionHash: string;
  readonly publicSpendKey: string;
  /** The expected change that replaces the output if the send is given up before the block is applied again. */
  readonly change: UnconfirmedAmount;
}

export interface LedgerParts {
  readonly outputs: OutputBook;
  readonly history: History;
  /**
   * Outputs, by key image, to be locked when their block is applied again, so that no second send spends them. In memory
   * only: `restoreSends` restores those of pending sends after a restart.
   */
  readonly awaited: Map<string, AwaitedSpend>;
  /** Held transactions by hash. In memory only. */
  readonly held: Map<string, HeldTransaction>;
  readonly progress: ChainProgress;
}

/** Creates the parts from the content of a file, as a generator that can be interrupted. */
export function* partsOf(content: WalletContent): Generator<void, LedgerParts> {
  const outputs = new OutputBook();
  for (const subWallet of content.subWallets) yield* outputs.addingBook(subWallet);
  const history = new History();
  yield* history.loading(content);
  return {
    outputs,
    history,
    awaited: new Map(),
    held: new Map(),
    progress: new ChainProgress(content.progress),
  };
}

/** Removes the outputs of a send from the expected amounts. */
export function unexpectChange({ outputs }: LedgerParts, transactionHash: string): void {
  for (const book of outputs.all()) {
    for (const { key, parentTransactionHash } of [...book.unconfirmedIncoming().values()]) {
      if (parentTransactionHash === transactionHash) book.unexpect(key);
    }
  }
}
