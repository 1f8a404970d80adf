/**
 * A map of at most `maxSize` entries that evicts the entry written longest ago. Setting a key again counts as a new write;
 * reading does not. Unlike `LRUCache` it allocates nothing ahead, so that thousands of small ones cost little.
 */
export class BoundedMap<K, V> extends Map<K, V> {
  readonly #maxSize: number;

  constructor(maxSize: number) {
    super();
    this.#maxSize = maxSize;
  }

  override set(key: K, value: V): this {
    this.delete(key);
    super.set(key, value);
    if (this.size > this.#maxSize) this.delete(this.keys().next().value as K);
    return this;
  }
}
