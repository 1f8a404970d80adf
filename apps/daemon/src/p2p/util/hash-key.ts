import { BoundedMap } from '@wrkz/service-kit/base';

/** A hash as the key of a map or set. */
export function hashKey(hash: Buffer): string {
  return hash.toString('hex');
}

/** The last `limit` hashes that were noted; older ones are forgotten. */
export class RecentHashes {
  private readonly keys: BoundedMap<string, true>;

  constructor(limit: number) {
    this.keys = new BoundedMap(limit);
  }

  /** Notes a hash; true when it was new. */
  add(hash: Buffer): boolean {
    const key = hashKey(hash);
    if (this.keys.has(key)) return false;
    this.keys.set(key, true);
    return true;
  }

  has(hash: Buffer): boolean {
    return this.keys.has(hashKey(hash));
  }

  delete(hash: Buffer): void {
    this.keys.delete(hashKey(hash));
  }
}
