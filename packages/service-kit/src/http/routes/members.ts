import type { z } from 'zod';
import type { ErrorRow } from './error-row';

/**
 * Reads the members of a request by their zod schema, one after the other in the order in which the schema declares
 * them, so that of several faults the first declared one is refused, and refusals of the app's own can stand between.
 *
 * Measured (bench/members.bench.ts, processor time): the nine members of a wallet's request take 1.6 us by the schema and
 * 0.1 us written out by hand, of 300 us for the whole request over loopback; with 50 hashes 9.0 us against 6.1 us of 347.
 * That is below 1 % of a small request, so that zod's own parsers are used as they are, without compiled readers.
 */

/** The members of a body, a query or a path. */
export type Members = z.ZodObject;

/** A member that was refused. */
export interface InvalidMember {
  /** The member's name; what is wrong may lie further inside. */
  readonly name: string;
  /** From the member on: names and positions. */
  readonly path: readonly PropertyKey[];
  /** What stood there; undefined when nothing did. */
  readonly value: unknown;
  /** Not there, of another JSON type, or of the right type with a value that is not taken. */
  readonly kind: 'missing' | 'type' | 'value';
  /** zod's name of the type that was expected: bigint, string, boolean, array, object ... */
  readonly expected: string;
}

/** Where a refused member's answer comes from: the app's own words, given the row that the declaration names for it. */
export type RefuseMember = (member: InvalidMember, row: ErrorRow | undefined) => Error;

/** By member: the row of the refusal of a wrong value. */
export type MemberRefusals<M extends Members | undefined> = M extends Members
  ? { readonly [Name in keyof M['shape']]?: ErrorRow }
  : never;

type Checked<T> = Exclude<T, undefined> extends readonly unknown[] ? readonly unknown[] : Exclude<T, undefined>;

/**
 * By member: a check that throws the app's own refusal. It comes after the member's own type and value, but of an array
 * before its entries are looked at. Members that were not sent and have no default are not checked.
 */
export type MemberChecks<Context, M extends Members | undefined> = M extends Members
  ? {
      readonly [Name in keyof M['shape']]?: (
        value: Checked<z.output<M['shape'][Name]>>,
        request: { readonly context: Context; readonly members: Partial<z.output<M>> },
      ) => void;
    }
  : never;

/** Entries of an array that are read at once. A library that collects every fault is stopped after so many. */
const ENTRIES_AT_ONCE = 64;

interface Field {
  readonly name: string;
  readonly schema: z.core.$ZodType;
  readonly isArray: boolean;
  /** Whether an array is nothing but its entries, so that it may be read in pieces. */
  readonly inPieces: boolean;
  /** It may be left out, and nothing stands in for it then. */
  readonly optional: boolean;
  readonly row: ErrorRow | undefined;
  readonly check: ((value: unknown, request: unknown) => void) | undefined;
}

export interface MemberReader {
  /** @throws what the app refuses the first invalid member with */
  readonly read: (raw: unknown, context: unknown) => Record<string, unknown>;
}

/** What a declaration itself refuses, by member. */
export interface OwnRefusals {
  readonly invalid?: Readonly<Record<string, ErrorRow | undefined>> | undefined;
  readonly checks?: Readonly<Record<string, unknown>> | undefined;
}

/** Makes the reader of an object's members. What is no object counts as one without members. */
export function memberReader(members: Members, refuse: RefuseMember, own: OwnRefusals = {}): MemberReader {
  const fields = Object.entries<z.core.$ZodType>(members.shape).map(([name, schema]): Field => ({
    name,
    schema,
    isArray: innermost(schema)._zod.def.type === 'array',
    inPieces: isPlainArray(schema),
    optional: isOptional(schema as z.ZodType),
    row: own.invalid?.[name],
    check: own.checks?.[name] as Field['check'],
  }));
  return {
    read: (raw, context) => {
      const sent = isMembers(raw) ? raw : {};
      const result: Record<string, unknown> = {};
      const request = { context, members: result };
      for (const field of fields) {
        const value = Object.hasOwn(sent, field.name) ? sent[field.name] : undefined;
        if (value === undefined && field.optional) continue;
        const before = field.isArray && Array.isArray(value);
        if (before) field.check?.(value, request);
        const parsed = before && field.inPieces ? readEntries(field, value, refuse) : readMember(field, value, refuse);
        if (parsed === undefined) continue;
        result[field.name] = parsed;
        if (!before) field.check?.(parsed, request);
      }
      return result;
    },
  };
}

/**
 * Reads an array piece by piece. zod notes every fault with its text before it answers: 39,000 wrong entries, a body of
 * 200 KB, would hold the event loop for 200 ms (docs/protocol/lessons.md#deep-and-wide-json).
 * @throws what the app refuses the first invalid entry with
 */
function readEntries(field: Field, entries: readonly unknown[], refuse: RefuseMember): unknown {
  if (entries.length <= ENTRIES_AT_ONCE) return readMember(field, entries, refuse);
  const result: unknown[] = [];
  for (let from = 0; from < entries.length; from += ENTRIES_AT_ONCE) {
    const piece = entries.slice(from, from + ENTRIES_AT_ONCE);
    for (const entry of readMember(field, piece, refuse, from) as unknown[]) result.push(entry);
  }
  return result;
}

/** Reads one value by its schema; `from` is where in an array it begins. @throws what the app refuses it with */
export function readMember(
  { name, schema, row }: Pick<Field, 'name' | 'schema' | 'row'>,
  value: unknown,
  refuse: RefuseMember,
  from = 0,
): unknown {
  const read = (schema as z.ZodType).safeParse(value);
  if (read.success) return read.data;
  const [issue] = read.error.issues;
  throw refuse(described(name, value, issue as z.core.$ZodIssue, from), row);
}

function described(name: string, sent: unknown, issue: z.core.$ZodIssue, from: number): InvalidMember {
  let value = sent;
  for (const step of issue.path) value = (value as Record<PropertyKey, unknown>)[step];
  const expected = expectedType(issue);
  const kind = value === undefined ? 'missing' : isOfType(value, expected) ? 'value' : 'type';
  const [first, ...further] = issue.path;
  const path = first === undefined ? [] : [typeof first === 'number' ? first + from : first, ...further];
  return { name, path: [name, ...path], value, kind, expected };
}

function expectedType(issue: z.core.$ZodIssue): string {
  if (issue.code === 'invalid_type') return issue.expected;
  if (issue.code === 'invalid_value') return typeof issue.values[0];
  return 'origin' in issue && typeof issue.origin === 'string' ? issue.origin : 'unknown';
}

function isOfType(value: unknown, type: string): boolean {
  if (type === 'array') return Array.isArray(value);
  if (type === 'object') return isMembers(value);
  return type === 'unknown' || typeof value === type;
}

/** An object with members, as JSON has them. */
export function isMembers(value: unknown): value is Record<string, unknown> {
  return value !== null && typeof value === 'object' && !Array.isArray(value);
}

function isOptional(schema: z.ZodType): boolean {
  const { success, data } = schema.safeParse(undefined);
  return success && data === undefined;
}

/** An array with neither bounds nor rules of its own, nor a fallback in place of a wrong one. */
function isPlainArray(schema: z.core.$ZodType): boolean {
  const def = schema._zod.def as { type: string; innerType?: z.core.$ZodType; checks?: readonly unknown[] };
  if ((def.checks?.length ?? 0) > 0) return false;
  if (def.innerType === undefined) return def.type === 'array';
  return ['optional', 'default', 'nullable'].includes(def.type) && isPlainArray(def.innerType);
}

/** Looks through what is optional, has a default or a fallback. */
function innermost(schema: z.core.$ZodType): z.core.$ZodType {
  const def = schema._zod.def as { innerType?: z.core.$ZodType };
  return def.innerType === undefined ? schema : innermost(def.innerType);
}
