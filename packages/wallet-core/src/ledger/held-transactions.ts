import type { SubWallet, WalletOutput } from './model';
import type { OutputBook } from './output-book';

/**
 * An unconfirmed transaction without a recorded send: a delayed transaction, or one seen in the pool. Its inputs are locked
 * and its own outputs are expected.
 */
export interface HeldTransaction {
  /** 64 hex characters. */
  readonly hash: string;
  /** One-time keys of its inputs. */
  readonly inputs: readonly string[];
  readonly ownOutputs: readonly { readonly publicSpendKey: string; readonly amount: bigint; readonly key: string }[];
}

/** Merges two holds of one transaction: callers may have different subsets of its inputs and outputs. */
export function mergedHold(before: HeldTransaction | undefined, added: HeldTransaction): HeldTransaction {
  if (before === undefined) return added;
  const outputs = [...before.ownOutputs, ...added.ownOutputs];
  return {
    hash: added.hash,
    inputs: [...new Set([...before.inputs, ...added.inputs])],
    ownOutputs: [...new Map(outputs.map((output) => [output.key, output])).values()],
  };
}

export function heldSpender(held: ReadonlyMap<string, HeldTransaction>, outputKey: string): string | undefined {
  return [...held.values()].find(({ inputs }) => inputs.includes(outputKey))?.hash;
}

/** Locks the unspent inputs and adds the own outputs to the expected amounts. */
export function lockHeld(outputs: OutputBook, { hash, inputs, ownOutputs }: HeldTransaction): void {
  for (const key of inputs) {
    const place = outputs.find(key);
    if (place?.list === 'unspent') {
      outputs.put(place.book, 'locked', { ...place.output, spendingTransactionHash: hash });
    }
  }
  for (const { publicSpendKey, amount, key } of ownOutputs) {
    if (outputs.accepts({ key, amount }))
      outputs.book(publicSpendKey)?.expect({ amount, key, parentTransactionHash: hash });
  }
}

/** The sub-wallet as stored in a container, with all holds undone. */
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
