import { z } from 'zod';
import {
  type ErrorRow,
  errorsOfMethod,
  errorsOfRoute,
  isDocumented,
  jsonSchema,
  type JsonSchema,
  type Method,
  type Route,
  type ServiceDescription,
} from '../../packages/service-kit/src';

/** The part of a request that has a field. */
export type FieldPlace = 'path' | 'query' | 'body' | 'params';

/** An error as a row of a table. */
export interface ErrorText {
  /** HTTP status, code of the service, application code. */
  readonly code: string;
  /** Text for the client; empty for no body. */
  readonly text: string;
  readonly when: string;
}

/** A route or method. */
export interface ReferenceEntry {
  /** `GET /pow/{id}`, or the name of a method. */
  readonly name: string;
  readonly summary: string;
  /** What the route does, when to use it, units; may be empty. */
  readonly description: string;
  /** Preconditions that are checked before the request is parsed, one sentence each. */
  readonly notes: readonly string[];
  readonly fields: readonly (FieldText & { readonly place: FieldPlace })[];
  readonly response: { readonly text: string; readonly fields: readonly FieldText[] };
  readonly errors: readonly ErrorText[];
}

/** The declarations of a service for a page. */
export interface ServiceReference {
  readonly title: string;
  readonly description: string;
  readonly routes: readonly ReferenceEntry[];
  readonly methods: readonly ReferenceEntry[];
}

/** The declarations of a service. */
export interface Declared<Context, Labels> {
  readonly routes?: readonly Route<Context, Labels>[];
  readonly methods?: readonly Method<Context, Labels>[];
}

/** Describes the declarations of a service in their order. */
export function serviceReference<Context, Labels>(
  service: ServiceDescription<Context, Labels>,
  { routes = [], methods = [] }: Declared<Context, Labels>,
): ServiceReference {
  return {
    title: service.title,
    description: service.description,
    routes: routes.filter(isDocumented).map((route) => routeEntry(service, route)),
    methods: methods.map((method) => methodEntry(service, method)),
  };
}

/** An error as a row of a table. */
export function errorRowText({ status, code, application, text, when }: ErrorRow): ErrorText {
  const codes = [status, code, application && `application code ${String(application)}`];
  return { code: codes.filter((part) => part !== undefined).join(', '), text, when };
}

function routeEntry<Context, Labels>(
  service: ServiceDescription<Context, Labels>,
  route: Route<Context, Labels>,
): ReferenceEntry {
  const {
    method,
    path,
    summary,
    description = '',
    guards,
    labels,
    params,
    query,
    body,
    response,
    status = 200,
  } = route;
  const key = service.alwaysAsksKey === true ? 'Requires the API key.' : 'Requires the API key if one is configured.';
  return {
    name: `${method} ${path}`,
    summary,
    description,
    notes: [
      ...(guards.key ? [key] : []),
      ...(guards.limit ? ['Rate-limited per client address.'] : []),
      ...labelNotes(service, labels),
    ],
    fields: [...placed('path', params), ...placed('query', query), ...placed('body', body)],
    response: responseText(response, status),
    errors: errorsOfRoute(service, route).map(errorRowText),
  };
}

function methodEntry<Context, Labels>(
  service: ServiceDescription<Context, Labels>,
  method: Method<Context, Labels>,
): ReferenceEntry {
  const { name, summary, labels, params, result } = method;
  return {
    name,
    summary,
    description: '',
    notes: labelNotes(service, labels),
    fields: params instanceof z.ZodTuple ? positions(params) : placed('params', params),
    response: responseText(result, 200),
    errors: errorsOfMethod(service, method).map(errorRowText),
  };
}

function labelNotes<Context, Labels>(
  service: ServiceDescription<Context, Labels>,
  labels: Labels | undefined,
): readonly string[] {
  if (labels === undefined) return [];
  return (
    service.labelNotes?.(labels) ?? Object.entries(labels ?? {}).map(([name, value]) => `${name}: ${String(value)}`)
  );
}

function placed(place: FieldPlace, schema: z.ZodObject | undefined): ReferenceEntry['fields'] {
  if (schema === undefined) return [];
  return fieldsOf(jsonSchema(schema, 'draft-2020-12')).map((field) => ({
    ...field,
    place,
    required: field.required || place === 'path',
  }));
}

function positions(params: z.ZodTuple): ReferenceEntry['fields'] {
  return params.def.items.flatMap((item, i) => {
    const schema = jsonSchema(item, 'draft-2020-12');
    const name = typeof schema['title'] === 'string' ? schema['title'] : `param${String(i)}`;
    const own = { name, type: typeText(schema), required: true, text: '', place: 'params' as const };
    return [own, ...fieldsOf(schema, name).map((field) => ({ ...field, place: 'params' as const }))];
  });
}

function responseText(response: Route['response'], status: number): ReferenceEntry['response'] {
  if ('contentType' in response) {
    const fields = response.orJson === undefined ? [] : fieldsOf(jsonSchema(response.orJson, 'draft-2020-12'));
    return { text: `${String(status)}, ${response.contentType}: ${response.description}`, fields };
  }
  if (response instanceof z.ZodUndefined) return { text: `${String(status)} without a body`, fields: [] };
  const schema = jsonSchema(response, 'draft-2020-12');
  return { text: `${String(status)}, ${typeText(schema)}`, fields: fieldsOf(schema) };
}

/** A field of a request or a response. */
export interface FieldText {
  /** Path of the field: `blocks[].hash`. */
  readonly name: string;
  /** JSON type with bounds: `integer, 0 to 100`, `array of string`. */
  readonly type: string;
  readonly required: boolean;
  readonly text: string;
}

/** All fields of a schema; nested fields follow the field that contains them. */
export function fieldsOf(schema: JsonSchema, parent = ''): FieldText[] {
  const found = new Map<string, FieldText>();
  for (const one of alternatives(schema)) {
    for (const field of ownFields(one, parent)) if (!found.has(field.name)) found.set(field.name, field);
  }
  return [...found.values()];
}

/** The type of a schema in a few words. */
export function typeText(schema: JsonSchema): string {
  const several = listOf(schema, 'anyOf', 'oneOf');
  if (several.length > 0) return [...new Set(several.map(typeText))].join(' or ');
  const values = schema['enum'];
  if (Array.isArray(values)) return values.map((value) => JSON.stringify(value)).join(' or ');
  if ('const' in schema) return JSON.stringify(schema['const']);
  const type = schema['type'];
  // Every integer is a number.
  if (Array.isArray(type)) return type.filter((one) => one !== 'integer' || !type.includes('number')).join(' or ');
  if (type === 'array') return `array of ${entriesText(schema)}`;
  if (typeof type !== 'string') return 'any';
  return `${type}${bounds(schema)}`;
}

function ownFields(schema: JsonSchema, parent: string): FieldText[] {
  if (schema['type'] === 'array') {
    const entries = schema['items'];
    return isSchema(entries) ? fieldsOf(entries, `${parent}[]`) : [];
  }
  const required = schema['required'];
  const properties = isSchema(schema['properties']) ? schema['properties'] : {};
  return Object.entries(properties).flatMap(([name, inner]) => {
    if (!isSchema(inner)) return [];
    const whole = parent === '' ? name : `${parent}.${name}`;
    const { description: text = '' } = inner as { readonly description?: string };
    const isRequired = Array.isArray(required) && required.includes(name);
    return [{ name: whole, type: typeText(inner), required: isRequired, text }, ...fieldsOf(inner, whole)];
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
  // The bounds of all JSON integers are omitted.
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
