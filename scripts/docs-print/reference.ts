import { z } from 'zod';
import {
  type ErrorRow,
  errorsOfMethod,
  errorsOfRoute,
  isDocumented,
  jsonSchema,
  type Method,
  openApiDocument,
  openRpcDocument,
  type Route,
  type ServiceDescription,
  stringifyJson,
} from '../../packages/service-kit/src';
import { cell, codeCell, page, table } from './markdown';
import { type Field, fieldsOf, type Schema, typeText } from './schema';

/** A request of a route or method and its response; lists are cut to their first entry. */
interface Example {
  readonly path: string;
  readonly body?: object;
  readonly status: number;
  readonly response: unknown;
}

/** By name of the route or method. */
export type Examples = Readonly<Record<string, Example>>;

/** The declarations of a service. */
interface Declarations<Context, Labels> {
  readonly routes?: readonly Route<Context, Labels>[];
  readonly methods?: readonly Method<Context, Labels>[];
  readonly examples?: Examples;
}

/** A route or method. */
interface Entry {
  /** `GET /pow/{id}`, or the name of a method. */
  readonly name: string;
  /** The summary, and preconditions that are checked before the request is parsed. */
  readonly sentences: readonly string[];
  /** What a route does, when to use it, units. */
  readonly description?: string | undefined;
  readonly fields: readonly Field[];
  readonly response: Route['response'];
  readonly orBytes?: string | undefined;
  readonly status?: number | undefined;
  readonly errors: readonly ErrorRow[];
}

const NEEDS_KEY = 'Requires the API key';
/** The default of both wallet services. */
const BASE_URL = 'http://127.0.0.1:7856';

/** The files of a service by name: the reference of its routes and methods, and their OpenAPI and OpenRPC documents. */
export function referenceFiles<Context, Labels>(
  program: string,
  service: ServiceDescription<Context, Labels>,
  { routes = [], methods = [], examples = {} }: Declarations<Context, Labels>,
): Readonly<Record<string, string>> {
  const documents = {
    ...(routes.length > 0 && { 'openapi.json': jsonText(openApiDocument(service, routes)) }),
    ...(methods.length > 0 && { 'openrpc.json': jsonText(openRpcDocument(service, methods)) }),
  };
  const links = Object.keys(documents).map((name) => `[${name}](${name})`);
  const routeEntries = routes.filter(isDocumented).map((route) => routeEntry(service, route));
  const methodEntries = methods.map((method) => methodEntry(service, method));
  const entryParts = (entry: Entry): string[] => [...entryText(entry), ...exampleText(entry, examples[entry.name])];
  const text = page(`${program}: reference`, [
    cell(service.description),
    `The same for programs: ${links.join(' and ')}. Codes and texts of errors by name: [errors](errors.md).`,
    routeEntries.length > 0 ? '## Routes' : '',
    ...routeEntries.flatMap(entryParts),
    methodEntries.length > 0 ? '## Methods' : '',
    ...methodEntries.flatMap(entryParts),
  ]);
  return { 'reference.md': text, ...documents };
}

function jsonText(document: object): string {
  return `${JSON.stringify(JSON.parse(stringifyJson(document)), null, 1)}\n`;
}

function routeEntry<Context, Labels>(
  service: ServiceDescription<Context, Labels>,
  route: Route<Context, Labels>,
): Entry {
  const { method, path, summary, guards, labels, params, query, body } = route;
  return {
    ...route,
    name: `${method} ${path}`,
    sentences: [
      summary,
      ...(guards.key ? [`${NEEDS_KEY}${service.alwaysAsksKey === true ? '' : ' if one is configured'}.`] : []),
      ...(guards.limit ? ['Rate-limited per client address.'] : []),
      ...labelNotes(service.labelNotes, labels),
    ],
    fields: [...placed('path', params), ...placed('query', query), ...placed('body', body)],
    errors: errorsOfRoute(service, route),
  };
}

function methodEntry<Context, Labels>(
  service: ServiceDescription<Context, Labels>,
  method: Method<Context, Labels>,
): Entry {
  const { name, summary, labels, params, result } = method;
  return {
    name,
    sentences: [summary, ...labelNotes(service.labelNotes, labels)],
    fields: params instanceof z.ZodTuple ? positions(params) : placed('params', params),
    response: result,
    errors: errorsOfMethod(service, method),
  };
}

function labelNotes<Labels>(
  notes: ((labels: Labels) => readonly string[]) | undefined,
  labels: Labels | undefined,
): readonly string[] {
  if (labels === undefined) return [];
  return notes?.(labels) ?? Object.entries(labels ?? {}).map(([name, value]) => `${name}: ${String(value)}`);
}

const schemaOf = (schema: z.ZodType): Schema => jsonSchema(schema, 'draft-2020-12');

function placed(place: NonNullable<Field['place']>, schema: z.ZodObject | undefined): Field[] {
  const fields = schema === undefined ? [] : fieldsOf(schemaOf(schema));
  return fields.map((field) => ({ ...field, place, required: field.required || place === 'path' }));
}

function positions(params: z.ZodTuple): Field[] {
  return params.def.items.flatMap((item, i) => {
    const schema: Schema = jsonSchema(item, 'draft-2020-12');
    const { title: name = `param${String(i)}` } = schema;
    const own = { name, type: typeText(schema), required: true, text: '' };
    return [own, ...fieldsOf(schema, name)].map((field) => ({ ...field, place: 'params' as const }));
  });
}

function entryText(entry: Entry): string[] {
  const { name, sentences, description = '', fields, response, orBytes, status = 200, errors } = entry;
  const rows = errors.map((row) => [codeText(row), row.text === '' ? 'no body' : codeCell(row.text), cell(row.when)]);
  return [
    `### ${cell(name)}`,
    sentences.map((sentence) => cell(sentence.endsWith('.') ? sentence : `${sentence}.`)).join(' '),
    description,
    fields.length === 0 ? '' : 'Request:',
    fieldTable(fields),
    ...responseText(response, String(status)),
    orBytes === undefined ? '' : `${cell(orBytes)}.`,
    errors.length === 0 ? '' : 'Errors:',
    table(['Code', 'Text', 'When'], rows),
  ];
}

function responseText(response: Route['response'], status: string): string[] {
  if ('contentType' in response) {
    const { contentType, description, orJson } = response;
    return [
      `Response: ${cell(`${status}, ${contentType}: ${description}`)}.`,
      orJson === undefined ? '' : fieldTable(fieldsOf(schemaOf(orJson))),
    ];
  }
  if (response instanceof z.ZodUndefined) return [`Response: ${status} without a body.`];
  const schema = schemaOf(response);
  return [`Response: ${cell(`${status}, ${typeText(schema)}`)}.`, fieldTable(fieldsOf(schema))];
}

function fieldTable(fields: readonly Field[]): string {
  const rows = fields.map(({ name, type, required, text, place }) => [
    codeCell(name),
    cell(type),
    [place === undefined ? '' : `in ${place}`, required ? '' : 'optional', cell(text)].filter(Boolean).join('; '),
  ]);
  return table(['Name', 'Type', 'More'], rows);
}

/** A command and its response, which a test of the program executes. */
function exampleText({ name, sentences }: Entry, example: Example | undefined): string[] {
  if (example === undefined) return [];
  const { path, body, status, response } = example;
  // The name of a method has no verb: every method is a POST request.
  const [verb] = name.includes(' ') ? name.split(' ') : ['POST'];
  const needsKey = sentences.some((sentence) => sentence.startsWith(NEEDS_KEY));
  const command = [
    'curl',
    ...(verb === (body === undefined ? 'GET' : 'POST') ? [] : [`-X ${verb ?? ''}`]),
    ...(needsKey ? ["-H 'X-API-KEY: <key>'"] : []),
    ...(body === undefined ? [] : [`-d '${JSON.stringify(body)}'`]),
    `'${BASE_URL}${path}'`,
  ];
  const text = typeof response === 'string' ? response : JSON.stringify(response, undefined, 2);
  return [
    'Example:',
    `\`\`\`sh\n${command.join(' ')}\n\`\`\``,
    `Status ${String(status)}${response === null ? ' without a body.' : ':'}`,
    response === null ? '' : `\`\`\`\n${text}\n\`\`\``,
  ];
}

/** Codes of an error: HTTP status, code of the service, application code. */
function codeText({ status, code, application }: Partial<ErrorRow>): string {
  const codes = [status, code, application && `application code ${String(application)}`];
  return codes.filter((part) => part !== undefined).join(', ');
}

/** A table of errors of a service, by their names in the code. */
export interface ErrorTable {
  readonly title: string;
  readonly text: string;
  readonly rows: Readonly<Record<string, Omit<ErrorRow, 'status'> & { readonly status?: number }>>;
  /** Title of the column `when`, if the rows have names in it. */
  readonly whenTitle?: string;
}

/** The page of a service's errors. */
export function errorsPage(program: string, tables: readonly ErrorTable[]): string {
  return page(`${program}: errors`, [
    '`{name}` in a text is a placeholder. Some responses have details of the request instead: compare codes, not texts. ' +
      'The [reference](reference.md) lists the errors of each route and method.',
    ...tables.flatMap(({ title, text, rows, whenTitle = 'When' }) => [
      `## ${title}`,
      text,
      table(
        ['Name', 'Code', 'Text', whenTitle],
        Object.entries(rows).map(([name, row]) => [codeCell(name), codeText(row), codeCell(row.text), cell(row.when)]),
      ),
    ]),
  ]);
}
