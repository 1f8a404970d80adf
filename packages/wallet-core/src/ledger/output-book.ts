import { KeyImageFilter } from './key-image-filter';
import type { MinedOutput, RetiredOutput, SubWallet, WalletOutput } from './model';
import { LIST_PRECEDENCE, type OutputList, SubWalletBook, type SubWalletFacts } from './sub-wallet-book';

/** An output with its sub-wallet and list. */
export interface OutputPlace {
  readonly book: SubWalletBook;
  readonly list: OutputList;
  readonly output: WalletOutput;
}

/** The output with the smaller one that it replaces, and locked by the same send. */
export function replacing({ replaced = [], ...smaller }: WalletOutput, output: WalletOutput): WalletOutput {
  const { spendingTransactionHash } = smaller;
  return { ...output, spendingTransactionHash, replaced: [...replaced, smaller] };
}

/** All outputs with the key of this one, smallest first. */
export function copiesOf({ replaced = [], ...output }: WalletOutput): MinedOutput[] {
  return [...replaced, output].sort((a, b) => (a.amount < b.amount ? -1 : 1));
}

/** The copy with this amount in place of the output, which becomes one of the replaced ones. */
export function withCopy(output: WalletOutput, amount: bigint): WalletOutput {
  if (output.amount === amount) return output;
  const { spendHeight, spendingTransactionHash } = output;
  const copies = copiesOf(output);
  const copy = copies.find((one) => one.amount === amount) ?? output;
  const others = copies.filter((one) => one !== copy);
  const replaced = others.map((one) => ({ ...one, spendHeight: 0, spendingTransactionHash: undefined }));
  return { ...copy, spendHeight, spendingTransactionHash, replaced };
}

/** By how much the copies above an amount raised the balance, and their transactions. */
export function raisesAbove(output: WalletOutput, amount: bigint): { hash: string; amount: bigint }[] {
  const copies = copiesOf(output);
  return copies.flatMap((one, i) =>
    one.amount <= amount
      ? []
      : [{ hash: one.parentTransactionHash, amount: one.amount - (copies[i - 1]?.amount ?? 0n) }],
  );
}

function verifiedAt<Output extends MinedOutput>(height: number, output: Output): Output {
  if (output.blockHeight !== height) return output;
  const { verified: _, ...rest } = output;
  return rest as Output;
}

/** All outputs of all sub-wallets, indexed by one-time key and key image. */
export class OutputBook {
  private readonly books = new Map<string, SubWalletBook>();
  private readonly places = new Map<string, OutputPlace>();
  /** One-time keys by key image. */
  private readonly images = new Map<string, string>();
  /** All key images in `images`, and removed ones. */
  readonly imageFilter = new KeyImageFilter();
  private readonly retired = new Set<string>();
  /** One-time keys of outputs without a global index, by the hash of their transaction. */
  private readonly unindexed = new Map<string, Set<string>>();

  /**
   * Adds a sub-wallet with its outputs. A file of another program may contain several with the same key: a spent one is used,
   * else the largest.
   */
  addBook(subWallet: SubWallet): void {
    for (const _ of this.addingBook(subWallet));
  }

  /** Like `addBook`, as a generator that can be interrupted between outputs. */
  *addingBook(subWallet: SubWallet): Generator<void, void> {
    const { unspent, locked, spent, unconfirmedIncoming, retiredKeys = [], ...facts } = subWallet;
    const book = new SubWalletBook(facts satisfies SubWalletFacts);
    this.books.set(book.publicSpendKey, book);
    for (const key of retiredKeys) {
      book.retire(key);
      this.retired.add(key);
      yield;
    }
    const lists = { unspent, locked, spent };
    for (const list of LIST_PRECEDENCE) {
      for (const output of lists[list]) {
        const smaller = this.find(output.key);
        if (this.accepts(output)) {
          if (smaller === undefined) this.put(book, list, output);
          else this.put(book, smaller.list, replacing(smaller.output, output));
        }
        yield;
      }
    }
    for (const amount of unconfirmedIncoming) {
      if (this.accepts(amount)) book.expect(amount);
      yield;
    }
  }

  removeBook(publicSpendKey: string): void {
    const book = this.books.get(publicSpendKey);
    if (book === undefined) return;
    for (const list of LIST_PRECEDENCE) for (const key of [...book.outputs(list).keys()]) this.remove(key);
    for (const key of book.retiredKeys) this.retired.delete(key);
    this.books.delete(publicSpendKey);
  }

  book(publicSpendKey: string): SubWalletBook | undefined {
    return this.books.get(publicSpendKey);
  }

  all(): Iterable<SubWalletBook> {
    return this.books.values();
  }

  /** Whether an output with this one-time key is in any list or retired. */
  has(key: string): boolean {
    return this.places.has(key) || this.retired.has(key);
  }

  /**
   * Whether an output is a new one or replaces a smaller one with the same one-time key. Both have the same key image, so only
   * one of them can be spent.
   */
  accepts({ key, amount }: Pick<WalletOutput, 'key' | 'amount'>): boolean {
    const known = this.find(key);
    return known === undefined ? !this.has(key) : known.list !== 'spent' && known.output.amount < amount;
  }

  find(key: string): OutputPlace | undefined {
    return this.places.get(key);
  }

  findByKeyImage(keyImage: string): OutputPlace | undefined {
    const key = this.images.get(keyImage);
    return key === undefined ? undefined : this.places.get(key);
  }

  put(book: SubWalletBook, list: OutputList, output: WalletOutput): void {
    this.remove(output.key);
    book.put(list, output);
    this.places.set(output.key, { book, list, output });
    if (output.keyImage !== undefined) {
      this.images.set(output.keyImage, output.key);
      this.imageFilter.add(output.keyImage);
    }
    if (output.globalIndex === undefined) this.awaitIndex(output);
  }

  remove(key: string): void {
    const place = this.places.get(key);
    if (place === undefined) return;
    const { book, list, output } = place;
    book.take(list, key);
    this.places.delete(key);
    if (output.keyImage !== undefined && this.images.get(output.keyImage) === key) this.images.delete(output.keyImage);
    this.stopAwaitingIndex(output);
  }

  /** Removes a spent output and stores its key in `retiredKeys`. */
  retire(book: SubWalletBook, key: string): void {
    this.remove(key);
    book.retire(key);
    this.retired.add(key);
  }

  /** Moves a retired output back to the spent ones. Ignores an output that is not retired. */
  restore({ output, publicSpendKey }: RetiredOutput): void {
    const book = this.books.get(publicSpendKey);
    if (book === undefined || !book.retiredKeys.has(output.key)) return;
    book.unretire(output.key);
    this.retired.delete(output.key);
    this.put(book, 'spent', output);
  }

  clear(): void {
    for (const book of this.books.values()) book.clear();
    for (const index of [this.places, this.images, this.imageFilter, this.retired, this.unindexed]) index.clear();
  }

  /** Sets the unknown global indexes of one transaction's outputs. With `replace` known indexes are overwritten too. */
  setIndexes(transactionHash: string, indexes: readonly number[], replace: boolean): void {
    const keys = replace ? this.keysOf(transactionHash) : (this.unindexed.get(transactionHash) ?? []);
    for (const key of [...keys]) {
      const place = this.places.get(key);
      const globalIndex = place === undefined ? undefined : indexes[place.output.outputIndex];
      if (place === undefined || globalIndex === undefined) continue;
      this.replace(place, { ...place.output, globalIndex });
      this.stopAwaitingIndex(place.output);
    }
  }

  unverified(): MinedOutput[] {
    const all = [...this.places.values()].flatMap(({ output }) => [output, ...(output.replaced ?? [])]);
    return all.filter(({ verified }) => verified === false);
  }

  spent(): WalletOutput[] {
    return [...this.books.values()].flatMap((book) => [...book.outputs('spent').values()]);
  }

  markVerified(height: number): void {
    for (const place of [...this.places.values()]) {
      const { replaced } = place.output;
      const output = verifiedAt(height, place.output);
      if (replaced !== undefined)
        this.replace(place, { ...output, replaced: replaced.map((one) => verifiedAt(height, one)) });
      else if (output !== place.output) this.replace(place, output);
    }
  }

  /** Outputs without a known global index, including spent ones, which a reorganisation may make unspent. */
  unindexedOutputs(): WalletOutput[] {
    return [...this.unindexed.values()].flatMap((keys) =>
      [...keys].flatMap((key) => this.places.get(key)?.output ?? []),
    );
  }

  /** Replaces an output without changing its position in the list. */
  private replace(place: OutputPlace, output: WalletOutput): void {
    place.book.put(place.list, output);
    this.places.set(output.key, { ...place, output });
  }

  private keysOf(transactionHash: string): string[] {
    return [...this.places].flatMap(([key, { output }]) =>
      output.parentTransactionHash === transactionHash ? [key] : [],
    );
  }

  private awaitIndex({ parentTransactionHash, key }: WalletOutput): void {
    const keys = this.unindexed.get(parentTransactionHash);
    if (keys === undefined) this.unindexed.set(parentTransactionHash, new Set([key]));
    else keys.add(key);
  }

  private stopAwaitingIndex({ parentTransactionHash, key }: WalletOutput): void {
    const keys = this.unindexed.get(parentTransactionHash);
    keys?.delete(key);
    if (keys?.size === 0) this.unindexed.delete(parentTransactionHash);
  }
}
