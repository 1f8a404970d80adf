import { MAX_UINT64 } from '@wrkz/core-types';
import type { JsonObject, JsonValue } from '@wrkz/service-kit/base';

/** What is wrong with the JSON of a container; the message names the member and never holds what it held. */
export class WrongMember extends Error {
  override readonly name = 'WrongMember';
}

const KEY = /^[0-9a-f]{64}$/;
const ANY_CASE_KEY = /^[0-9a-fA-F]{64}$/;
const MAX_INT64 = 2n ** 63n - 1n;
const MAX_NUMBER = BigInt(Number.MAX_SAFE_INTEGER);

/** Reads the members of an object by their types. */
export class ContainerMembers {
  private constructor(
    private readonly object: JsonObject,
    /** Where it stands, for messages. */
    private readonly place: string,
  ) {}

  static of(value: JsonValue | undefined, place: string): ContainerMembers {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) throw wrong(place, 'an object');
    return new ContainerMembers(value, place);
  }

  has(name: string): boolean {
    return Object.hasOwn(this.object, name);
  }

  /** Names and values that are none of these; undefined when there are none. */
  others(known: ReadonlySet<string>): Record<string, unknown> | undefined {
    let others: Record<string, unknown> | undefined;
    for (const name in this.object) {
      if (known.has(name)) continue;
      others ??= Object.create(null) as Record<string, unknown>;
      others[name] = this.object[name];
    }
    return others;
  }

  /** 32 bytes as hex of either case, given in lower case. */
  key(name: string): string {
    const value = this.get(name);
    if (typeof value !== 'string') throw this.wrong(name, 'hex of 32 bytes');
    if (KEY.test(value)) return value;
    if (!ANY_CASE_KEY.test(value)) throw this.wrong(name, 'hex of 32 bytes');
    return value.toLowerCase();
  }

  text(name: string): string {
    const value = this.get(name);
    if (typeof value !== 'string') throw this.wrong(name, 'a string');
    return value;
  }

  flag(name: string): boolean {
    const value = this.get(name);
    if (typeof value !== 'boolean') throw this.wrong(name, 'true or false');
    return value;
  }

  uint64(name: string): bigint {
    const value = this.get(name);
    if (typeof value !== 'bigint' || value < 0n || value > MAX_UINT64) throw this.wrong(name, 'an unsigned integer');
    return value;
  }

  int64(name: string): bigint {
    const value = this.get(name);
    if (typeof value !== 'bigint' || value < -MAX_INT64 - 1n || value > MAX_INT64) throw this.wrong(name, 'an integer');
    return value;
  }

  /**
   * A height, a time or an index. The reference casts what it is given, so a file may hold -1 as 2^64 - 1, which lies beyond
   * any chain; the largest number that is counted with does so too.
   */
  count(name: string): number {
    const value = this.uint64(name);
    return Number(value > MAX_NUMBER ? MAX_NUMBER : value);
  }

  within(name: string): ContainerMembers {
    return ContainerMembers.of(this.get(name), `${this.place}${name}.`);
  }

  list(name: string): readonly JsonValue[] {
    const value = this.get(name);
    if (!Array.isArray(value)) throw this.wrong(name, 'a list');
    return value;
  }

  /** A list of objects; to be gone through once. */
  *objects(name: string): Generator<ContainerMembers> {
    let index = 0;
    for (const value of this.list(name)) yield ContainerMembers.of(value, `${this.place}${name}[${index++}].`);
  }

  private get(name: string): JsonValue | undefined {
    return this.has(name) ? this.object[name] : undefined;
  }

  private wrong(name: string, expected: string): WrongMember {
    return wrong(this.place + name, expected);
  }
}

function wrong(place: string, expected: string): WrongMember {
  return new WrongMember(`${place === '' ? 'the document' : place} is not ${expected}`);
}

/** A list of hashes; one that stands twice running is taken once (docs/protocol/wallet.md#container). */
export function* hashList(members: ContainerMembers, name: string): Generator<void, string[]> {
  const hashes: string[] = [];
  for (const value of members.list(name)) {
    if (typeof value !== 'string' || !ANY_CASE_KEY.test(value)) throw new WrongMember(`${name} holds what is no hash`);
    const hash = value.toLowerCase();
    if (hash !== hashes.at(-1)) hashes.push(hash);
    yield;
  }
  return hashes;
}

/** Collects what this program does not know, so that it is written back as it was. */
export class UnknownMembers {
  private readonly found = new Map<string, Readonly<Record<string, unknown>>>();
  private readonly known = new WeakMap<readonly string[], ReadonlySet<string>>();

  /** Looks at one object. Of two under one path the first counts. */
  noteUnknown(members: ContainerMembers, names: readonly string[], path: () => string): void {
    let known = this.known.get(names);
    if (known === undefined) this.known.set(names, (known = new Set(names)));
    const others = members.others(known);
    if (others === undefined) return;
    const where = path();
    if (!this.found.has(where)) this.found.set(where, others);
  }

  all(): ReadonlyMap<string, Readonly<Record<string, unknown>>> {
    return this.found;
  }
}
