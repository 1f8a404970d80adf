/** What a node stores (docs/protocol/storage.md#modes). */
export type StorageMode =
  | { readonly kind: 'full' }
  /** Bodies of the last `depth` blocks. */
  | { readonly kind: 'pruned'; readonly depth: number }
  /** Below block `height` only what the rules read. */
  | { readonly kind: 'lite'; readonly height: number };
