/**
 * A filter of packed key images by their first 32 bits. It excludes most images that are not in a set, so that they need not be
 * converted to strings. A single image cannot be removed.
 */
export class KeyImageFilter {
  private readonly prefixes = new Set<number>();

  /** @param keyImage 64 hex characters */
  add(keyImage: string): void {
    this.prefixes.add(Number.parseInt(keyImage.slice(0, 8), 16) | 0);
  }

  /** Whether the 32 bytes at an offset may be in the set. */
  mayHave(bytes: Buffer, offset: number): boolean {
    return this.prefixes.has(bytes.readInt32BE(offset));
  }

  clear(): void {
    this.prefixes.clear();
  }
}

/** Key images of outputs that were found but not applied yet. */
export class ReceivedImages {
  private readonly images = new Set<string>();
  readonly filter = new KeyImageFilter();

  add(keyImage: string): void {
    this.images.add(keyImage);
    this.filter.add(keyImage);
  }

  has(keyImage: string): boolean {
    return this.images.has(keyImage);
  }
}
