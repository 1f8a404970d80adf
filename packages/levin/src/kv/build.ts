import type { KvItemType, KvSection, KvValue } from './model';

function bytesOf(value: Uint8Array | string): Buffer {
  return typeof value === 'string'
    ? Buffer.from(value, 'utf8')
    : Buffer.from(value.buffer, value.byteOffset, value.byteLength);
}

/**
 * Creates values as the reference writes them. The reference omits empty arrays and empty blobs, so `array` and `blob` return
 * undefined for them, and `section` drops undefined values.
 */
export const kv = {
  uint64: (value: bigint): KvValue => ({ type: 'uint64', value }),
  uint32: (value: number): KvValue => ({ type: 'uint32', value }),
  uint16: (value: number): KvValue => ({ type: 'uint16', value }),
  uint8: (value: number): KvValue => ({ type: 'uint8', value }),
  bool: (value: boolean): KvValue => ({ type: 'bool', value }),
  /** A string is also written if it is empty. */
  string: (value: Uint8Array | string): KvValue => ({ type: 'string', value: bytesOf(value) }),
  /** Raw bytes (hashes, lists of hashes, peer lists); not written if empty. */
  blob: (value: Uint8Array): KvValue | undefined => (value.length === 0 ? undefined : kv.string(value)),
  object: (entries: Readonly<Record<string, KvValue | undefined>>): KvValue => ({
    type: 'object',
    value: kv.section(entries),
  }),
  array: (of: KvItemType, items: readonly KvValue[]): KvValue | undefined =>
    items.length === 0 ? undefined : { type: 'array', of, items },
  /** The entries in the given order. */
  section: (entries: Readonly<Record<string, KvValue | undefined>>): KvSection => {
    const section = new Map<string, KvValue>();
    for (const [name, value] of Object.entries(entries)) if (value !== undefined) section.set(name, value);
    return section;
  },
} as const;
