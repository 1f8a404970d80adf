const MOST = 1_000;

/** By which key a transaction was prepared: one with allowed addresses may send only what it prepared itself. */
export class PreparedOwners {
  readonly #names = new Map<string, string>();

  note(hash: string, name: string): void {
    const [oldest] = this.#names.keys();
    if (this.#names.size >= MOST && oldest !== undefined) this.#names.delete(oldest);
    this.#names.set(hash.toLowerCase(), name);
  }

  isOf(hash: string, name: string): boolean {
    return this.#names.get(hash.toLowerCase()) === name;
  }
}
