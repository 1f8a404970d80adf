/**
 * Values of the key-value format ("portable storage", docs/protocol/p2p.md#key-value-format): the content of P2P commands.
 * Every value retains its type on the wire, so that a decoded message is encoded to the same bytes.
 */
export type KvValue =
  | { readonly type: 'int64' | 'uint64'; readonly value: bigint }
  | { readonly type: 'int32' | 'int16' | 'int8' | 'uint32' | 'uint16' | 'uint8' | 'double'; readonly value: number }
  | { readonly type: 'bool'; readonly value: boolean }
  | { readonly type: 'string'; readonly value: Buffer }
  | { readonly type: 'object'; readonly value: KvSection }
  | { readonly type: 'array'; readonly of: KvItemType; readonly items: readonly KvValue[] };

export type KvType = KvValue['type'];
/** Types of array items. Arrays of arrays are rejected: no program of the network writes them. */
export type KvItemType = Exclude<KvType, 'array'>;

/** Named values in write order. Names have 0 to 255 bytes (as Latin-1 characters). */
export type KvSection = ReadonlyMap<string, KvValue>;

/** The type bytes of the format. */
export const kvTypeCodes: Readonly<Record<KvItemType, number>> = {
  int64: 1,
  int32: 2,
  int16: 3,
  int8: 4,
  uint64: 5,
  uint32: 6,
  uint16: 7,
  uint8: 8,
  double: 9,
  string: 10,
  bool: 11,
  object: 12,
};

/** Set in the type byte of an array. */
export const KV_ARRAY_FLAG = 0x80;

/** Two signatures and the version of the format. */
export const KV_HEADER = Buffer.from('011101010101020101', 'hex');

/** Bytes of a number; for other types the min bytes of a value. */
export const kvMinimumSizes: Readonly<Record<KvItemType, number>> = {
  int64: 8,
  int32: 4,
  int16: 2,
  int8: 1,
  uint64: 8,
  uint32: 4,
  uint16: 2,
  uint8: 1,
  double: 8,
  string: 1,
  bool: 1,
  object: 1,
};
