import type { MinedOutput, WalletOutput, WalletTransaction } from './model';
import type { LedgerParts } from './state';
import type { OutputList, SubWalletBook } from './sub-wallet-book';

/**
 * Removes all blocks from `height` on. Own sends become unconfirmed again, and their inputs stay locked: most of them return
 * to the node's pool, and an unlocked input could be spent twice (docs/protocol/wallet.md#reorganisations).
 */
export function rewindTo(parts: LedgerParts, height: number): void {
  const { outputs, history, progress } = parts;
  const spenders = new Set(outputs.spent().map(({ spendingTransactionHash }) => spendingTransactionHash));
  const removed = history.removeFrom(height);
  const returned = new Set<string>();
  for (const transaction of removed) {
    if (transaction.isCoinbase || !(spenders.has(transaction.hash) || isOutgoing(transaction))) continue;
    returned.add(transaction.hash);
    history.returnSend(transaction);
  }
  const inferred = onlySpenders(removed, returned);
  /** @param list of the output that it had replaced and that is in a block below `height` */
  const take = (book: SubWalletBook, output: WalletOutput, list: OutputList, spender: string | undefined): void => {
    const all = [...(output.replaced ?? []), output];
    const change = all.find((one) => one.blockHeight >= height && returned.has(one.parentTransactionHash));
    withdraw(parts, book, change ?? output, spender, returned);
    const replaced = all.filter(({ blockHeight }) => blockHeight < height);
    const last = replaced.pop();
    if (last === undefined) return;
    outputs.put(book, list, {
      ...{ ...last, spendingTransactionHash: spender },
      ...(replaced.length > 0 && { replaced }),
    });
  };
  for (const book of outputs.all()) {
    const spender = (output: WalletOutput): string | undefined =>
      output.spendingTransactionHash ?? inferred.get(`${book.publicSpendKey}:${output.spendHeight}`);
    for (const output of [...book.outputs('unspent').values()]) {
      if (output.blockHeight >= height) take(book, output, 'unspent', undefined);
    }
    for (const output of [...book.outputs('locked').values()]) {
      if (output.blockHeight >= height) take(book, output, 'locked', output.spendingTransactionHash);
    }
    for (const output of [...book.outputs('spent').values()]) {
      if (output.blockHeight >= height) take(book, output, 'locked', spender(output));
      else if (output.spendHeight >= height) {
        outputs.put(book, 'locked', { ...output, spendHeight: 0, spendingTransactionHash: spender(output) });
      }
    }
  }
  progress.rewind(height);
}

/** Whether own inputs exceed own outputs, so that only this wallet can have created the transaction. */
function isOutgoing({ transfers }: WalletTransaction): boolean {
  return transfers.reduce((total, { amount }) => total + amount, 0n) < 0n;
}

/**
 * Infers the spenders of outputs for which a file of another program has only the spend height: the only send of the
 * sub-wallet at that height. Keyed by spend key and height.
 */
function onlySpenders(removed: readonly WalletTransaction[], returned: ReadonlySet<string>): Map<string, string> {
  const candidates = new Map<string, string[]>();
  for (const { hash, transfers, blockHeight } of removed) {
    if (!returned.has(hash)) continue;
    for (const { publicSpendKey } of transfers) {
      const place = `${publicSpendKey}:${blockHeight}`;
      candidates.set(place, [...(candidates.get(place) ?? []), hash]);
    }
  }
  return new Map(
    [...candidates].flatMap(([place, hashes]) =>
      hashes.length === 1 ? hashes.map((hash): [string, string] => [place, hash]) : [],
    ),
  );
}

/** Removes an output whose block was removed. The change of a pending send remains expected. */
function withdraw(
  parts: LedgerParts,
  book: SubWalletBook,
  output: MinedOutput,
  spender: string | undefined,
  returned: ReadonlySet<string>,
): void {
  const { outputs, awaited, history } = parts;
  outputs.remove(output.key);
  const { amount, key, parentTransactionHash, keyImage } = output;
  const change = { amount, key, parentTransactionHash };
  const isSpent = spender !== undefined && keyImage !== undefined && history.send(spender) !== undefined;
  if (isSpent) {
    const { publicSpendKey } = book;
    // It was a smaller copy of an awaited output.
    if ((awaited.get(keyImage)?.amount.amount ?? 0n) > amount) return;
    awaited.set(keyImage, { spendingTransactionHash: spender, publicSpendKey, amount: change });
  } else if (returned.has(parentTransactionHash)) book.expect(change);
}
