import { DecodeError } from '@wrkz/core-types';
import type { KvSection, KvValue } from './model';

/*
 * Typed access to a decoded message, like in the reference: by name, in any order, unknown names ignored. Integers of another
 * width are converted through 64 bits. A missing field is undefined, a missing list empty, a wrong type an error.
 */

function wrongType(name: string, expected: string, value: KvValue): never {
  throw new DecodeError(`field ${name} should be ${expected}, not ${value.type}`);
}

/** An unsigned integer of `bits` bits stored in any width, truncated to `bits`; undefined if missing. */
export function kvUint64(section: KvSection, name: string, bits = 64): bigint | undefined {
  const entry = section.get(name);
  if (entry === undefined) return undefined;
  switch (entry.type) {
    case 'uint64':
    case 'int64':
      return BigInt.asUintN(bits, entry.value);
    case 'uint32':
    case 'uint16':
    case 'uint8':
    case 'int32':
    case 'int16':
    case 'int8':
      return BigInt.asUintN(bits, BigInt(entry.value));
    default:
      return wrongType(name, 'an integer', entry);
  }
}

/** Like `kvUint64`, as a number of up to 32 bits. */
export function kvUint32(section: KvSection, name: string, bits = 32): number | undefined {
  const value = kvUint64(section, name, bits);
  return value === undefined ? undefined : Number(value);
}

/** The bytes of a string or blob. @param size the required number of bytes */
export function kvBytes(section: KvSection, name: string, size?: number): Buffer | undefined {
  const entry = section.get(name);
  if (entry === undefined) return undefined;
  if (entry.type !== 'string') return wrongType(name, 'a string', entry);
  if (size !== undefined && entry.value.length !== size) {
    throw new DecodeError(`field ${name} should have ${size} bytes, not ${entry.value.length}`);
  }
  return entry.value;
}

export function kvObject(section: KvSection, name: string): KvSection | undefined {
  const entry = section.get(name);
  if (entry === undefined) return undefined;
  return entry.type === 'object' ? entry.value : wrongType(name, 'an object', entry);
}

/** Splits a blob of concatenated items of `itemSize` bytes: hashes (32), peers (24 or 40). */
export function kvPacked(section: KvSection, name: string, itemSize: number): Buffer[] {
  const blob = kvBytes(section, name) ?? Buffer.alloc(0);
  if (blob.length % itemSize !== 0) throw new DecodeError(`field ${name} is not made of ${itemSize} bytes each`);
  return Array.from({ length: blob.length / itemSize }, (_, i) => blob.subarray(i * itemSize, (i + 1) * itemSize));
}

function itemsOf(section: KvSection, name: string): readonly KvValue[] {
  const entry = section.get(name);
  if (entry === undefined) return [];
  return entry.type === 'array' ? entry.items : wrongType(name, 'an array', entry);
}

/** An array of strings or blobs; empty if missing. */
export function kvByteItems(section: KvSection, name: string): Buffer[] {
  return itemsOf(section, name).map((item) => (item.type === 'string' ? item.value : wrongType(name, 'strings', item)));
}

/** An array of objects; empty if missing. */
export function kvObjects(section: KvSection, name: string): KvSection[] {
  return itemsOf(section, name).map((item) => (item.type === 'object' ? item.value : wrongType(name, 'objects', item)));
}
