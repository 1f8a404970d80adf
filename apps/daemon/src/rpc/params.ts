import { fromHex, MAX_UINT64 } from '@wrkz/core-types';
import type { JsonObject, JsonValue } from '@wrkz/service-kit';
import { refusals } from './errors';

/** The name that the reference's JSON library gives a value's type, as its refusals print it. */
export function jsonTypeName(value: JsonValue): string {
  if (value === null) return 'Null';
  if (value === true) return 'True';
  if (value === false) return 'False';
  if (Array.isArray(value)) return 'Array';
  if (typeof value === 'string') return 'String';
  return typeof value === 'object' ? 'Object' : 'Number';
}

/**
 * The members of a request, read with the reference's refusals: a missing required one and one of another type
 * are both 400 with the recorded text. A body that is no object counts as one without members.
 */
export class Params {
  readonly #members: JsonObject;

  constructor(body: JsonValue | undefined) {
    this.#members = body !== null && typeof body === 'object' && !Array.isArray(body) ? body : {};
  }

  has(name: string): boolean {
    return Object.hasOwn(this.#members, name);
  }

  raw(name: string): JsonValue | undefined {
    return this.has(name) ? this.#members[name] : undefined;
  }

  uint64(name: string): bigint {
    return asUint64(this.#required(name));
  }

  optionalUint64(name: string, otherwise: bigint): bigint {
    const value = this.raw(name);
    return value === undefined ? otherwise : asUint64(value);
  }

  string(name: string): string {
    return asString(this.#required(name));
  }

  optionalString(name: string, otherwise: string): string {
    const value = this.raw(name);
    return value === undefined ? otherwise : asString(value);
  }

  optionalBoolean(name: string, otherwise: boolean): boolean {
    const value = this.raw(name);
    if (value === undefined) return otherwise;
    if (typeof value !== 'boolean') throw refusals.wrongType('Bool', jsonTypeName(value));
    return value;
  }

  array(name: string): JsonValue[] {
    return asArray(this.#required(name));
  }

  optionalArray(name: string): JsonValue[] {
    const value = this.raw(name);
    return value === undefined ? [] : asArray(value);
  }

  /** The member as an object with members of its own (`params` of JSON-RPC). */
  object(name: string): Params {
    const value = this.#required(name);
    if (jsonTypeName(value) !== 'Object') throw refusals.wrongType('Object', jsonTypeName(value));
    return new Params(value);
  }

  #required(name: string): JsonValue {
    const value = this.raw(name);
    if (value === undefined) throw refusals.missing(name);
    return value;
  }
}

export function asUint64(value: JsonValue): bigint {
  if (typeof value !== 'bigint' || value < 0n || value > MAX_UINT64) {
    throw refusals.wrongType('uint64_t', jsonTypeName(value));
  }
  return value;
}

export function asString(value: JsonValue): string {
  if (typeof value !== 'string') throw refusals.wrongType('String', jsonTypeName(value));
  return value;
}

export function asArray(value: JsonValue): JsonValue[] {
  if (!Array.isArray(value)) throw refusals.wrongType('Array', jsonTypeName(value));
  return value;
}

/** A hash of 64 hex digits in either case, or undefined. */
export function hashFrom(text: string): Buffer | undefined {
  return fromHex(text, 32);
}
