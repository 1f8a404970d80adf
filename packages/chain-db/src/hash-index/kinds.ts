/** What is looked up by hash; the numbers stand in the file. */
export const HASH_KINDS = { block: 0, transaction: 1, keyImage: 2, paymentId: 3 } as const;

export type HashKind = (typeof HASH_KINDS)[keyof typeof HASH_KINDS];

/** As errors name them. */
export const HASH_KIND_NAMES: Readonly<Record<HashKind, string>> = {
  [HASH_KINDS.block]: 'block ids',
  [HASH_KINDS.transaction]: 'transaction hashes',
  [HASH_KINDS.keyImage]: 'key images',
  [HASH_KINDS.paymentId]: 'payment ids',
};
