import type { SubWallet, UnconfirmedAmount, WalletOutput } from './model';

export type OutputList = 'unspent' | 'locked' | 'spent';

/** Order of precedence if a file has an output in several lists. */
export const LIST_PRECEDENCE: readonly OutputList[] = ['spent', 'locked', 'unspent'];

/** The fields of a sub-wallet that do not come from the chain. */
export type SubWalletFacts = Omit<SubWallet, OutputList | 'unconfirmedIncoming' | 'retiredKeys'>;

/** One mutable sub-wallet. Each output is in one list, keyed by its one-time key, in insertion order. */
export class SubWalletBook {
  private readonly lists = {
    unspent: new Map<string, WalletOutput>(),
    locked: new Map<string, WalletOutput>(),
    spent: new Map<string, WalletOutput>(),
  };
  private readonly incoming = new Map<string, UnconfirmedAmount>();
  private readonly retired = new Set<string>();
  /** Arrays returned by the last `content`, for lists that have not changed since. */
  private readonly given: Partial<Record<OutputList, readonly WalletOutput[]>> = {};
  private givenRetired: readonly string[] | undefined;
  private value: SubWallet | undefined;

  constructor(private facts: SubWalletFacts) {}

  get publicSpendKey(): string {
    return this.facts.publicSpendKey;
  }

  get address(): string {
    return this.facts.address;
  }

  get retiredKeys(): ReadonlySet<string> {
    return this.retired;
  }

  outputs(list: OutputList): ReadonlyMap<string, WalletOutput> {
    return this.lists[list];
  }

  unconfirmedIncoming(): ReadonlyMap<string, UnconfirmedAmount> {
    return this.incoming;
  }

  put(list: OutputList, output: WalletOutput): void {
    this.lists[list].set(output.key, output);
    this.changed(list);
  }

  take(list: OutputList, key: string): void {
    if (this.lists[list].delete(key)) this.changed(list);
  }

  /** Of expected outputs with the same one-time key the largest counts. */
  expect(amount: UnconfirmedAmount): void {
    if ((this.incoming.get(amount.key)?.amount ?? -1n) >= amount.amount) return;
    this.incoming.set(amount.key, amount);
    this.value = undefined;
  }

  unexpect(key: string): void {
    if (this.incoming.delete(key)) this.value = undefined;
  }

  retire(key: string): void {
    this.retired.add(key);
    this.givenRetired = undefined;
    this.value = undefined;
  }

  unretire(key: string): void {
    this.retired.delete(key);
    this.givenRetired = undefined;
    this.value = undefined;
  }

  setFacts(changed: Partial<SubWalletFacts>): void {
    this.facts = { ...this.facts, ...changed };
    this.value = undefined;
  }

  /** Removes all data from the chain. */
  clear(): void {
    for (const list of [...Object.values(this.lists), this.incoming, this.retired]) list.clear();
    for (const list of LIST_PRECEDENCE) this.changed(list);
    this.givenRetired = undefined;
  }

  /** The sub-wallet as an immutable value. Unchanged lists are the same arrays as in the previous call. */
  content(): SubWallet {
    return (this.value ??= {
      ...this.facts,
      unspent: this.give('unspent'),
      locked: this.give('locked'),
      spent: this.give('spent'),
      unconfirmedIncoming: [...this.incoming.values()],
      ...(this.retired.size > 0 && { retiredKeys: (this.givenRetired ??= [...this.retired]) }),
    });
  }

  private give(list: OutputList): readonly WalletOutput[] {
    return (this.given[list] ??= [...this.lists[list].values()]);
  }

  private changed(list: OutputList): void {
    delete this.given[list];
    this.value = undefined;
  }
}
