import { z } from 'zod';
import { stringifyJson } from '@wrkz/service-kit';
import type { WalletRoute } from '../../src/routes/declare';

/** JSON values of wrong types, by the expected type. */
const WRONG: Readonly<Record<string, readonly string[]>> = {
  string: ['null', '5', 'true', '[]', '{}'],
  boolean: ['null', '1', '"true"', '[]', '{}'],
  integer: ['null', '"1"', 'true', '[]', '{}', '-1', '1.5', '1.0', '1e3', '1e400', '18446744073709551616', '-0.5'],
  number: ['null', '"1"', 'true', '[]', '{}'],
  array: ['null', '"x"', '5', '{}', '[5]', '[null]', '[[]]'],
};

export interface WrongBody {
  readonly name: string;
  readonly text: string;
}

/** Bodies with one fault each: a missing field, a wrong type, or a number out of range. */
export function wrongBodies({ body: schema }: Pick<WalletRoute, 'body'>, good: object): WrongBody[] {
  if (schema === undefined) return [];
  const members = Object.entries(good).map(([name, value]) => [name, stringifyJson(value)] as const);
  const shape = Object.entries(schema.shape) as (readonly [string, z.ZodType])[];
  return shape.flatMap(([name, member]) => {
    const others = members.filter(([other]) => other !== name);
    const faults = (WRONG[wireType(member)] ?? []).map((wrong) => ({
      name: `${name}: ${wrong}`,
      text: objectOf([...others, [name, wrong]]),
    }));
    if (isOptional(member)) return faults;
    return [{ name: `${name} missing`, text: objectOf(others) }, ...faults];
  });
}

const objectOf = (members: readonly (readonly [string, string])[]): string =>
  `{${members.map(([name, json]) => `${JSON.stringify(name)}:${json}`).join(',')}}`;

export const isOptional = (member: z.ZodType): boolean => member.safeParse(undefined).success;

function wireType(schema: z.core.$ZodType): string {
  const def = schema._zod.def as { type: string; innerType?: z.core.$ZodType; in?: z.core.$ZodType };
  if (def.innerType !== undefined) return wireType(def.innerType);
  if (def.in !== undefined) return wireType(def.in);
  return { bigint: 'integer', union: 'number' }[def.type] ?? def.type;
}
