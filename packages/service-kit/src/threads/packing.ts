/**
 * Values between threads. A structured clone copies the whole memory behind a Buffer, which for a small Buffer is a
 * shared pool and for a slice of a frame the frame; and it arrives as a bare Uint8Array. So all bytes of a message are
 * laid into one block of their own, which changes hands without a copy, and come out as Buffers.
 */

/** What is posted; give `transferList(packed)` as the transfer list. */
export interface Packed {
  readonly value: unknown;
  /** Left out when the value holds none, as most small messages do: even an empty one costs a copy. */
  readonly bytes?: Uint8Array;
}

/** The key of an object that stands for bytes: [offset, length] in the block. No member of a value may be called so. */
const MARK = '\u0000bytes';

type Members = Record<string, unknown>;

/**
 * Packs plain data (objects, arrays, numbers, bigints, strings, byte arrays).
 * @throws TypeError when a member bears the name that stands for bytes
 */
export function pack(value: unknown): Packed {
  const parts: Uint8Array[] = [];
  let offset = 0;
  const placed = (bytes: Uint8Array): Members => {
    parts.push(bytes);
    offset += bytes.length;
    return { [MARK]: [offset - bytes.length, bytes.length] };
  };
  /** What holds no bytes is posted as it is; the clone copies it anyway. */
  const outlined = (item: unknown): unknown => {
    if (typeof item !== 'object' || item === null) return item;
    if (item instanceof Uint8Array) return placed(item);
    return Array.isArray(item) ? outlinedArray(item) : outlinedObject(item as Members);
  };
  const outlinedArray = (items: readonly unknown[]): unknown => {
    let copy: unknown[] | undefined;
    for (let i = 0; i < items.length; i++) {
      const outline = outlined(items[i]);
      if (outline !== items[i]) (copy ??= [...items])[i] = outline;
    }
    return copy ?? items;
  };
  const outlinedObject = (members: Members): unknown => {
    let copy: Members | undefined;
    for (const key of Object.keys(members)) {
      if (key === MARK) throw new TypeError('a member bears the name that stands for bytes');
      const outline = outlined(members[key]);
      if (outline !== members[key]) (copy ??= { ...members })[key] = outline;
    }
    return copy ?? members;
  };
  const outline = outlined(value);
  if (parts.length === 0) return { value: outline };
  const bytes = new Uint8Array(offset);
  let position = 0;
  for (const part of parts) {
    bytes.set(part, position);
    position += part.length;
  }
  return { value: outline, bytes };
}

/**
 * The value that was packed; the outline is filled in place, so it can be unpacked once. The caller names the type:
 * both ends are this program.
 */
export function unpack<T>({ value, bytes }: Packed): T {
  if (bytes === undefined) return value as T;
  const filled = (item: unknown): unknown => {
    if (typeof item !== 'object' || item === null) return item;
    const members = item as Members;
    const place = members[MARK];
    if (Array.isArray(place)) {
      const [offset, length] = place as [number, number];
      return Buffer.from(bytes.buffer, bytes.byteOffset + offset, length);
    }
    for (const key of Object.keys(members)) {
      const value = filled(members[key]);
      if (value !== members[key]) members[key] = value;
    }
    return members;
  };
  return filled(value) as T;
}

/** What changes hands instead of being copied. */
export function transferList({ bytes }: Packed): ArrayBuffer[] {
  return bytes === undefined || bytes.length === 0 ? [] : [bytes.buffer as ArrayBuffer];
}
