/** The fields of a JSON schema that the declarations use. */
export interface Schema {
  readonly type?: string | readonly string[];
  readonly title?: string;
  readonly description?: string;
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
  readonly allOf?: readonly Schema[];
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly items?: Schema;
  readonly prefixItems?: readonly Schema[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly format?: string;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
}

/** A field of a request or a response. */
export interface Field {
  /** Path of the field: `blocks[].hash`. */
  readonly name: string;
  /** JSON type with bounds: `integer, 0 to 100`, `array of string`. */
  readonly type: string;
  readonly required: boolean;
  readonly text: string;
  /** The part of a request that has the field. */
  readonly place?: 'path' | 'query' | 'body' | 'params';
}

/** All fields of a schema; nested fields follow the field that contains them. */
export function fieldsOf(schema: Schema, parent = ''): Field[] {
  const { anyOf = [], oneOf = [], allOf = [], items, properties = {}, required = [] } = schema;
  const fields = [
    ...[...anyOf, ...oneOf, ...allOf].flatMap((one) => fieldsOf(one, parent)),
    ...(items === undefined ? [] : fieldsOf(items, `${parent}[]`)),
    ...Object.entries(properties).flatMap(([key, inner]) => {
      const name = parent === '' ? key : `${parent}.${key}`;
      const field = { name, type: typeText(inner), required: required.includes(key), text: inner.description ?? '' };
      return [field, ...fieldsOf(inner, name)];
    }),
  ];
  return fields.filter(({ name }, i) => fields.findIndex((field) => field.name === name) === i);
}

/** The type of a schema in a few words. */
export function typeText(schema: Schema): string {
  const { anyOf = [], oneOf = [], enum: values, type, items = {}, prefixItems = [items] } = schema;
  const several = [...anyOf, ...oneOf];
  if (several.length > 0) return [...new Set(several.map(typeText))].join(' or ');
  if (values !== undefined) return values.map((value) => JSON.stringify(value)).join(' or ');
  if ('const' in schema) return JSON.stringify(schema.const);
  if (type === undefined) return 'any';
  if (type === 'array') return `array of ${prefixItems.map(typeText).join(', ')}`;
  if (typeof type === 'string') return `${type}${bounds(schema)}`;
  // Every integer is a number.
  return type.filter((one) => one !== 'integer' || !type.includes('number')).join(' or ');
}

function bounds({ type, format, minimum, maximum, minLength, maxLength }: Schema): string {
  if (format === 'uint64') return ', 64 bits';
  const [low, high, unit] = type === 'string' ? [minLength, maxLength, ' characters'] : [minimum, maximum, ''];
  // The bounds of all JSON integers are omitted.
  const lowest = low === Number.MIN_SAFE_INTEGER ? undefined : low;
  const highest = high === Number.MAX_SAFE_INTEGER ? undefined : high;
  if (lowest !== undefined && lowest === highest) return `, ${lowest}${unit}`;
  if (lowest === undefined) return highest === undefined ? '' : `, ${highest}${unit} at most`;
  return highest === undefined ? `, ${lowest}${unit} or more` : `, ${lowest} to ${highest}${unit}`;
}
