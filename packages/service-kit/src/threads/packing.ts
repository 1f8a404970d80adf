/**
 * Values between threads. A structured clone copies the whole memory behind a Buffer, which for a small Buffer is a
 * shared pool and for a slice of a frame the frame; and it arrives as a bare Uint8Array. So all bytes of a message are
 * laid into one block of their own, which changes hands without a copy, and come out as Buffers.
 */

/** What is posted; give `transferList(packed)` as the transfer list. */
export interface Packed {
  readonly value: unknown;
  readonly bytes: Uint8Array;
}

/** The key of an object that stands for bytes: [offset, length] in the block. No field of ours can be called so. */
const MARK = '\u0000bytes';

/** Packs plain data (objects, arrays, numbers, bigints, strings, Buffers). */
export function pack(value: unknown): Packed {
  const parts: Uint8Array[] = [];
  let offset = 0;
  const walk = (item: unknown): unknown => {
    if (item instanceof Uint8Array) {
      parts.push(item);
      offset += item.length;
      return { [MARK]: [offset - item.length, item.length] };
    }
    if (Array.isArray(item)) return item.map(walk);
    if (typeof item === 'object' && item !== null) {
      return Object.fromEntries(Object.entries(item).map(([key, member]) => [key, walk(member)]));
    }
    return item;
  };
  const outline = walk(value);
  const bytes = new Uint8Array(offset);
  let position = 0;
  for (const part of parts) {
    bytes.set(part, position);
    position += part.length;
  }
  return { value: outline, bytes };
}

/** The value that was packed. The caller names its type: both ends are this program. */
export function unpack<T>(packed: Packed): T {
  const { buffer, byteOffset } = packed.bytes;
  const walk = (item: unknown): unknown => {
    if (Array.isArray(item)) return item.map(walk);
    if (typeof item !== 'object' || item === null) return item;
    const place = (item as Record<string, unknown>)[MARK];
    if (Array.isArray(place)) {
      const [offset, length] = place as [number, number];
      return Buffer.from(buffer, byteOffset + offset, length);
    }
    return Object.fromEntries(Object.entries(item).map(([key, member]) => [key, walk(member)]));
  };
  return walk(packed.value) as T;
}

export function transferList(packed: Packed): ArrayBuffer[] {
  return [packed.bytes.buffer as ArrayBuffer];
}
