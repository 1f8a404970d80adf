import type { KeyGrant } from './keys/service-keys';

const MOST = 1_000;

/** By which key a transaction was prepared: one with allowed addresses may send and forget only what it prepared itself. */
export class PreparedOwners {
  readonly #names = new Map<string, string>();

  note(hash: string, name: string): void {
    const [oldest] = this.#names.keys();
    if (this.#names.size >= MOST && oldest !== undefined) this.#names.delete(oldest);
    this.#names.set(hash.toLowerCase(), name);
  }

  isFor({ name, allowedAddresses }: KeyGrant, hash: string): boolean {
    return allowedAddresses === undefined || this.#names.get(hash.toLowerCase()) === name;
  }
}
