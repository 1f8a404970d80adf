import type { z } from 'zod';
import { yieldToEventLoop } from '../../async';
import type { ErrorRow } from '../errors';

/*
 * Reads the fields of a request by their zod schema, one after the other in the order of the schema: the first invalid field is
 * refused, and checks of the service run in between.
 *
 * Measured (bench/request-validation.bench.ts, processor time): the nine fields of a wallet's request take 1.6 us by the schema and 0.1 us
 * by hand-written code, of 300 us for the whole request over loopback; with 50 hashes 9.0 us and 6.1 us of 347.
 */

/** The fields of a body, a query or a path. */
export type Fields = z.ZodObject;

export interface InvalidField {
  /** Name of the field; the invalid value may be nested. */
  readonly name: string;
  /** Path to the invalid value: names and indexes, from the field on. */
  readonly path: readonly PropertyKey[];
  /** The invalid value; undefined if it is missing. */
  readonly value: unknown;
  /** Missing, wrong JSON type, or a wrong value of the right type. */
  readonly kind: 'missing' | 'type' | 'value';
  /** zod's name of the expected type: bigint, string, boolean, array, object ... */
  readonly expected: string;
}

/** Makes the error of an invalid field. @param row the error that the declaration has for the field */
export type RefuseField = (field: InvalidField, row: ErrorRow | undefined) => Error;

/** By field: the error for an invalid value. */
export type FieldRefusals<M extends Fields | undefined> = M extends Fields
  ? { readonly [Name in keyof M['shape']]?: ErrorRow }
  : never;

type Checked<T> = Exclude<T, undefined> extends readonly unknown[] ? readonly unknown[] : Exclude<T, undefined>;

/**
 * By field: a check that throws an error of the service. It runs after type and value of the field are valid, but for an array
 * before its entries are read. Missing fields without a default are not checked.
 */
export type FieldChecks<Context, M extends Fields | undefined> = M extends Fields
  ? {
      readonly [Name in keyof M['shape']]?: (
        value: Checked<z.output<M['shape'][Name]>>,
        request: { readonly context: Context; readonly fields: Partial<z.output<M>> },
      ) => void;
    }
  : never;

/** Entries of an array per zod call, because zod collects all errors. */
const ENTRIES_AT_ONCE = 64;
/** Entries of an array that are parsed before the next yield to the event loop: about 1 ms. */
const ENTRIES_PER_SLICE = 4_096;

interface Field {
  readonly name: string;
  readonly schema: z.core.$ZodType;
  readonly isArray: boolean;
  /** Whether the entries of an array can be parsed separately. */
  readonly inPieces: boolean;
  /** May be missing, and has no default. */
  readonly optional: boolean;
  readonly row: ErrorRow | undefined;
  readonly check: ((value: unknown, request: unknown) => void) | undefined;
}

/** Rejects with the error of the first invalid field. */
export type FieldReader = (raw: unknown, context: unknown) => Promise<Record<string, unknown>>;

/** Errors and checks of a declaration, by field. */
export interface OwnRefusals {
  readonly invalid?: Readonly<Record<string, ErrorRow | undefined>> | undefined;
  readonly checks?: Readonly<Record<string, unknown>> | undefined;
}

/** Makes a reader of an object's fields. Any other value counts as an object without fields. */
export function fieldReader(schema: Fields, refuse: RefuseField, own: OwnRefusals = {}): FieldReader {
  const fields = Object.entries<z.core.$ZodType>(schema.shape).map(([name, value]): Field => ({
    name,
    schema: value,
    isArray: innermost(value)._zod.def.type === 'array',
    inPieces: isPlainArray(value),
    optional: isOptional(value as z.ZodType),
    row: own.invalid?.[name],
    check: own.checks?.[name] as Field['check'],
  }));
  return async (raw, context) => {
    const sent = isJsonObject(raw) ? raw : {};
    const result: Record<string, unknown> = {};
    const request = { context, fields: result };
    for (const field of fields) {
      const value = Object.hasOwn(sent, field.name) ? sent[field.name] : undefined;
      if (value === undefined && field.optional) continue;
      const before = field.isArray && Array.isArray(value);
      if (before) field.check?.(value, request);
      const parsed =
        before && field.inPieces ? await readEntries(field, value, refuse) : readField(field, value, refuse);
      if (parsed === undefined) continue;
      result[field.name] = parsed;
      if (!before) field.check?.(parsed, request);
    }
    return result;
  };
}

/**
 * Parses an array in pieces. zod makes a text for every error: 39,000 wrong entries, a body of 200 KB, would block the event
 * loop for 200 ms (docs/protocol/lessons.md#deep-and-wide-json).
 * @throws the error of the first invalid entry
 */
async function readEntries(field: Field, entries: readonly unknown[], refuse: RefuseField): Promise<unknown> {
  if (entries.length <= ENTRIES_AT_ONCE) return readField(field, entries, refuse);
  const result: unknown[] = [];
  for (let from = 0; from < entries.length; from += ENTRIES_AT_ONCE) {
    const piece = entries.slice(from, from + ENTRIES_AT_ONCE);
    for (const entry of readField(field, piece, refuse, from) as unknown[]) result.push(entry);
    if (from % ENTRIES_PER_SLICE === 0 && from > 0) await yieldToEventLoop();
  }
  return result;
}

/** Parses one value. @param from index of its first entry in an array @throws the error of an invalid value */
export function readField(
  { name, schema, row }: Pick<Field, 'name' | 'schema' | 'row'>,
  value: unknown,
  refuse: RefuseField,
  from = 0,
): unknown {
  const read = (schema as z.ZodType).safeParse(value);
  if (read.success) return read.data;
  const [issue] = read.error.issues;
  throw refuse(described(name, value, issue as z.core.$ZodIssue, from), row);
}

function described(name: string, sent: unknown, issue: z.core.$ZodIssue, from: number): InvalidField {
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
  if (type === 'object') return isJsonObject(value);
  return type === 'unknown' || typeof value === type;
}

export function isJsonObject(value: unknown): value is Record<string, unknown> {
  return value !== null && typeof value === 'object' && !Array.isArray(value);
}

function isOptional(schema: z.ZodType): boolean {
  const { success, data } = schema.safeParse(undefined);
  return success && data === undefined;
}

/** Whether a schema is an array without bounds, refinements or fallback. */
function isPlainArray(schema: z.core.$ZodType): boolean {
  const def = schema._zod.def as { type: string; innerType?: z.core.$ZodType; checks?: readonly unknown[] };
  if ((def.checks?.length ?? 0) > 0) return false;
  if (def.innerType === undefined) return def.type === 'array';
  return ['optional', 'default', 'nullable'].includes(def.type) && isPlainArray(def.innerType);
}

/** The schema without optional, default and fallback. */
function innermost(schema: z.core.$ZodType): z.core.$ZodType {
  const def = schema._zod.def as { innerType?: z.core.$ZodType };
  return def.innerType === undefined ? schema : innermost(def.innerType);
}
