/**
 * A map of at most `maxSize` entries that evicts the entry written longest ago. Setting a key again counts as a new write;
 * reading does not. Unlike `LRUCache` it allocates nothing ahead, so that thousands of small ones cost little.
 */
export class BoundedMap<K, V> extends Map<K, V> {
  private readonly maxSize: number;

  constructor(maxSize: number) {
    super();
    this.maxSize = maxSize;
  }

  override set(key: K, value: V): this {
    this.delete(key);
    super.set(key, value);
    if (this.size > this.maxSize) this.delete(this.keys().next().value as K);
    return this;
  }
}

/** Groups values by a key. Keys and values are in the order of their first occurrence. */
export function groupBy<K, V>(values: Iterable<V>, keyOf: (value: V) => K): Map<K, V[]> {
  const groups = new Map<K, V[]>();
  for (const value of values) {
    const key = keyOf(value);
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [value]);
    else group.push(value);
  }
  return groups;
}
