import type { HeldTransaction } from './held-transactions';
import type { WalletOutput } from './model';
import type { LedgerParts } from './state';
import type { SubWalletBook } from './sub-wallet-book';

/** Locks those of the inputs that are free, and expects what is to come. */
export function takeHeld({ outputs }: LedgerParts, { hash, inputs, ownOutputs }: HeldTransaction): void {
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
