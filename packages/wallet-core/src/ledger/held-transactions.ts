import type { SubWallet, WalletOutput } from './model';
import type { OutputBook } from './output-book';

/**
 * A transaction that is in no block and not a recorded send: a delayed one, or one in the pool. Its inputs are locked and its
 * own outputs are expected.
 */
export interface HeldTransaction {
  /** 64 hex characters. */
  readonly hash: string;
  /** One-time keys of its inputs. */
  readonly inputs: readonly string[];
  readonly ownOutputs: readonly { readonly publicSpendKey: string; readonly amount: bigint; readonly key: string }[];
}

/** Held transactions by hash and by the keys of their inputs. In memory only. */
export class HeldTransactions {
  private readonly byHash = new Map<string, HeldTransaction>();
  private readonly byInput = new Map<string, string>();

  /** Merged with an entry of the same hash: two callers may know different inputs and outputs. */
  add(added: HeldTransaction): void {
    const transaction = merged(this.byHash.get(added.hash), added);
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

  /** The hash of the transaction that spends an output. */
  spenderOf(outputKey: string): string | undefined {
    return this.byInput.get(outputKey);
  }

  all(): Iterable<HeldTransaction> {
    return this.byHash.values();
  }

  get isEmpty(): boolean {
    return this.byHash.size === 0;
  }
}

function merged(before: HeldTransaction | undefined, added: HeldTransaction): HeldTransaction {
  if (before === undefined) return added;
  const outputs = [...before.ownOutputs, ...added.ownOutputs];
  return {
    hash: added.hash,
    inputs: [...new Set([...before.inputs, ...added.inputs])],
    ownOutputs: [...new Map(outputs.map((output) => [output.key, output])).values()],
  };
}

/** Locks the unspent inputs, and expects the own outputs. */
export function lockHeld(outputs: OutputBook, { hash, inputs, ownOutputs }: HeldTransaction): void {
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

/** The sub-wallet for a container, as if nothing were held. */
export function withoutHeld(subWallet: SubWallet, isHeld: (hash: string | undefined) => boolean): SubWallet {
  const { unspent, locked, unconfirmedIncoming } = subWallet;
  const isHeldOutput = ({ spendingTransactionHash }: WalletOutput): boolean => isHeld(spendingTransactionHash);
  const freed = locked.filter(isHeldOutput);
  return {
    ...subWallet,
    unspent: [...unspent, ...freed.map((output) => ({ ...output, spendingTransactionHash: undefined }))],
    locked: locked.filter((output) => !isHeldOutput(output)),
    unconfirmedIncoming: unconfirmedIncoming.filter(({ parentTransactionHash }) => !isHeld(parentTransactionHash)),
  };
}
