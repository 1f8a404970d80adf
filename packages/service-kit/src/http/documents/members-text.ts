import type { JsonSchema } from './json-schema';

/** A member of a request or an answer, for a page that people read. */
export interface MemberText {
  /** The way to it: `blocks[].hash`. */
  readonly name: string;
  /** Its JSON type with its bounds: `integer, 0 to 100`, `array of string`. */
  readonly type: string;
  readonly required: boolean;
  readonly text: string;
}

/** Every member of a schema, those of inner objects and of an array's entries behind the one that holds them. */
export function membersOf(schema: JsonSchema, way = ''): MemberText[] {
  const found = new Map<string, MemberText>();
  for (const one of alternatives(schema)) {
    for (const member of ownMembers(one, way)) if (!found.has(member.name)) found.set(member.name, member);
  }
  return [...found.values()];
}

/** What a value of a schema is, in a few words. */
export function typeText(schema: JsonSchema): string {
  const several = listOf(schema, 'anyOf', 'oneOf');
  if (several.length > 0) return [...new Set(several.map(typeText))].join(' or ');
  const values = schema['enum'];
  if (Array.isArray(values)) return values.map((value) => JSON.stringify(value)).join(' or ');
  if ('const' in schema) return JSON.stringify(schema['const']);
  const type = schema['type'];
  // every integer is a number
  if (Array.isArray(type)) return type.filter((one) => one !== 'integer' || !type.includes('number')).join(' or ');
  if (type === 'array') return `array of ${entriesText(schema)}`;
  if (typeof type !== 'string') return 'any';
  return `${type}${bounds(schema)}`;
}

function ownMembers(schema: JsonSchema, way: string): MemberText[] {
  if (schema['type'] === 'array') {
    const entries = schema['items'];
    return isSchema(entries) ? membersOf(entries, `${way}[]`) : [];
  }
  const required = schema['required'];
  const properties = isSchema(schema['properties']) ? schema['properties'] : {};
  return Object.entries(properties).flatMap(([name, inner]) => {
    if (!isSchema(inner)) return [];
    const whole = way === '' ? name : `${way}.${name}`;
    const { description: text = '' } = inner as { readonly description?: string };
    const isRequired = Array.isArray(required) && required.includes(name);
    return [{ name: whole, type: typeText(inner), required: isRequired, text }, ...membersOf(inner, whole)];
  });
}

function entriesText(schema: JsonSchema): string {
  const first = listOf(schema, 'prefixItems')[0];
  if (first !== undefined) return listOf(schema, 'prefixItems').map(typeText).join(', ');
  return isSchema(schema['items']) ? typeText(schema['items']) : 'any';
}

function bounds(schema: JsonSchema): string {
  if (schema['format'] === 'uint64') return ', 64 bits';
  const number = (name: string): number | undefined => {
    const value = schema[name];
    return typeof value === 'number' && Number.isFinite(value) ? value : undefined;
  };
  const ofText = schema['type'] === 'string';
  const unit = ofText ? ' characters' : '';
  const low = number(ofText ? 'minLength' : 'minimum');
  const high = number(ofText ? 'maxLength' : 'maximum');
  // what no integer of JSON goes beyond is no bound
  const lowest = low === Number.MIN_SAFE_INTEGER ? undefined : low;
  const highest = high === Number.MAX_SAFE_INTEGER ? undefined : high;
  if (lowest !== undefined && lowest === highest) return `, ${lowest}${unit}`;
  if (lowest === undefined) return highest === undefined ? '' : `, ${highest}${unit} at most`;
  return highest === undefined ? `, ${lowest}${unit} or more` : `, ${lowest} to ${highest}${unit}`;
}

function alternatives(schema: JsonSchema): readonly JsonSchema[] {
  const several = listOf(schema, 'anyOf', 'oneOf', 'allOf');
  return several.length === 0 ? [schema] : several.flatMap(alternatives);
}

function listOf(schema: JsonSchema, ...names: readonly string[]): JsonSchema[] {
  return names.flatMap((name) => (Array.isArray(schema[name]) ? schema[name].filter(isSchema) : []));
}

function isSchema(value: unknown): value is JsonSchema {
  return typeof value === 'object' && value !== null;
}
