import type { TransferAdjustment } from './history';
import type { MinedOutput, WalletOutput, WalletTransaction } from './model';
import { copiesOf, raisesAbove, withCopy } from './output-book';
import type { LedgerParts } from './state';
import type { OutputList, SubWalletBook } from './sub-wallet-book';

/**
 * Removes all blocks from `height` on. Own sends become unconfirmed again, and their inputs stay locked: most of them return
 * to the node's pool, and an unlocked input could be spent twice (docs/protocol/wallet.md#reorganisations).
 */
export function rewindTo(parts: LedgerParts, height: number): void {
  const { outputs, history, progress } = parts;
  recountLarger(parts, height);
  const spenders = new Set(outputs.spent().map(({ spendingTransactionHash }) => spendingTransactionHash));
  const removed = history.removeFrom(height);
  const returned = new Set<string>();
  for (const transaction of removed) {
    if (transaction.isCoinbase || !(spenders.has(transaction.hash) || isOutgoing(transaction))) continue;
    returned.add(transaction.hash);
    history.returnSend(transaction);
  }
  const inferred = onlySpenders(removed, returned);
  const rewind = { parts, height, returned };
  for (const book of outputs.all()) {
    const spender = (output: WalletOutput): string | undefined =>
      output.spendingTransactionHash ?? inferred.get(`${book.publicSpendKey}:${output.spendHeight}`);
    for (const output of [...book.outputs('unspent').values()]) {
      if (output.blockHeight >= height) withdraw(rewind, book, output, 'unspent', undefined);
    }
    for (const output of [...book.outputs('locked').values()]) {
      if (output.blockHeight >= height) withdraw(rewind, book, output, 'locked', output.spendingTransactionHash);
    }
    for (const output of [...book.outputs('spent').values()]) {
      if (output.blockHeight >= height) withdraw(rewind, book, output, 'locked', spender(output));
      else if (output.spendHeight >= height) {
        outputs.put(book, 'locked', { ...output, spendHeight: 0, spendingTransactionHash: spender(output) });
      }
    }
  }
  progress.rewind(height);
}

/** Counts the copies again that a removed spend of a smaller one made worthless. */
function recountLarger({ outputs, history }: LedgerParts, height: number): void {
  const adjustments: TransferAdjustment[] = [];
  for (const book of outputs.all()) {
    for (const output of [...book.outputs('spent').values()]) {
      if (output.spendHeight < height) continue;
      const { amount } = copiesOf(output).at(-1) ?? output;
      if (amount === output.amount) continue;
      const { publicSpendKey } = book;
      adjustments.push(...raisesAbove(output, output.amount).map((raise) => ({ ...raise, publicSpendKey })));
      outputs.put(book, 'spent', withCopy(output, amount));
    }
  }
  history.adjust(adjustments);
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

interface Rewind {
  readonly parts: LedgerParts;
  readonly height: number;
  /** Hashes of the removed own sends. */
  readonly returned: ReadonlySet<string>;
}

/**
 * Removes an output whose block was removed. The change of a pending send remains expected.
 * @param list gets the smaller output with this key that is in a block below the height
 */
function withdraw(
  { parts: { outputs, awaited, history }, height, returned }: Rewind,
  book: SubWalletBook,
  output: WalletOutput,
  list: OutputList,
  spender: string | undefined,
): void {
  const all = [...(output.replaced ?? []), output];
  const isChange = (one: MinedOutput): boolean => one.blockHeight >= height && returned.has(one.parentTransactionHash);
  const { amount, key, parentTransactionHash } = all.find(isChange) ?? output;
  const change = { amount, key, parentTransactionHash };
  outputs.remove(key);
  const { keyImage } = output;
  const isSpent = spender !== undefined && keyImage !== undefined && history.send(spender) !== undefined;
  if (!isSpent) {
    if (returned.has(parentTransactionHash)) book.expect(change);
  } else if ((awaited.get(keyImage)?.change.amount ?? 0n) <= amount) {
    // Otherwise this is a smaller copy of an output that is awaited already.
    awaited.set(keyImage, { spendingTransactionHash: spender, publicSpendKey: book.publicSpendKey, change });
  }
  const replaced = all.filter(({ blockHeight }) => blockHeight < height);
  const last = replaced.pop();
  if (last === undefined) return;
  const restored = { ...last, spendingTransactionHash: spender };
  outputs.put(book, list, replaced.length > 0 ? { ...restored, replaced } : restored);
}
