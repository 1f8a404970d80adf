import type { WalletOutput } from './model';
import type { OutputBook } from './output-book';
import type { SubWalletBook } from './sub-wallet-book';

/**
 * A transaction that is in no block and that the history does not list as a send: one that waits to be sent, or one of the
 * pool. Outputs that it takes stay taken, what it brings is waited for.
 */
export interface HeldTransaction {
  /** 64 hex characters. */
  readonly hash: string;
  /** One-time keys of the outputs that it takes. */
  readonly inputs: readonly string[];
  readonly ownOutputs: readonly { readonly publicSpendKey: string; readonly amount: bigint; readonly key: string }[];
}

/** Transactions that are held, found by hash and by the keys of their inputs. They are in memory alone. */
export class HeldTransactions {
  private readonly byHash = new Map<string, HeldTransaction>();
  private readonly byInput = new Map<string, string>();

  /** Together with what is held under that hash: who tells of it may know fewer of its addresses. */
  add(told: HeldTransaction): void {
    const transaction = merged(this.byHash.get(told.hash), told);
    this.byHash.set(transaction.hash, transaction);
    for (const key of transaction.inputs) if (!this.byInput.has(key)) this.byInput.set(key, transaction.hash);
  }

  delete(hash: string): HeldTransaction | undefined {
    const transaction = this.byHash.get(hash);
    if (transaction === undefined) return undefined;
    this.byHash.delete(hash);
    for (const key of transaction.inputs) if (this.byInput.get(key) === hash) this.byInput.delete(key);
    return transaction;
  }

  has(hash: string | undefined): boolean {
    return hash !== undefined && this.byHash.has(hash);
  }

  /** The hash of the transaction that takes an output. */
  takerOf(outputKey: string): string | undefined {
    return this.byInput.get(outputKey);
  }

  all(): Iterable<HeldTransaction> {
    return this.byHash.values();
  }

  get isEmpty(): boolean {
    return this.byHash.size === 0;
  }
}

function merged(before: HeldTransaction | undefined, told: HeldTransaction): HeldTransaction {
  if (before === undefined) return told;
  const outputs = [...before.ownOutputs, ...told.ownOutputs];
  return {
    hash: told.hash,
    inputs: [...new Set([...before.inputs, ...told.inputs])],
    ownOutputs: [...new Map(outputs.map((output) => [output.key, output])).values()],
  };
}

/** Locks those of the inputs that are free, and expects what is to come. */
export function takeHeld(outputs: OutputBook, { hash, inputs, ownOutputs }: HeldTransaction): void {
  for (const key of inputs) {
    const place = outputs.find(key);
    if (place?.list === 'unspent') {
      outputs.put(place.book, 'locked', { ...place.output, spendingTransactionHash: hash });
    }
  }
  for (const { publicSpendKey, amount, key } of ownOutputs) {
    if (!outputs.knows(key)) outputs.book(publicSpendKey)?.expect({ amount, key, parentTransactionHash: hash });
  }
}

/** The lists of a sub-wallet as a container holds them: as if nothing were held. */
export function withoutHeld(
  book: SubWalletBook,
  isHeld: (hash: string | undefined) => boolean,
): ReturnType<SubWalletBook['content']> {
  const content = book.content();
  const isFree = ({ spendingTransactionHash }: WalletOutput): boolean => !isHeld(spendingTransactionHash);
  if (
    content.locked.every(isFree) &&
    !content.unconfirmedIncoming.some(({ parentTransactionHash }) => isHeld(parentTransactionHash))
  ) {
    return content;
  }
  const freed = content.locked.filter((output) => !isFree(output));
  return {
    ...content,
    unspent: [...content.unspent, ...freed.map((output) => ({ ...output, spendingTransactionHash: undefined }))],
    locked: content.locked.filter(isFree),
    unconfirmedIncoming: content.unconfirmedIncoming.filter(
      ({ parentTransactionHash }) => !isHeld(parentTransactionHash),
    ),
  };
}
