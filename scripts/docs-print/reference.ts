import type { ErrorRow } from '../../packages/service-kit/src';
import { errorRowText, type FieldText, type ReferenceEntry, type ServiceReference } from './declarations';
import { cell, codeCell, page, table } from './markdown';

/** A request of a route or method and its response; lists are cut to their first entry. */
interface Example {
  readonly path: string;
  readonly body?: object;
  readonly status: number;
  readonly response: unknown;
}

/** By name of the route or method. */
export type Examples = Readonly<Record<string, Example>>;

/** The default of both wallet services. */
const BASE_URL = 'http://127.0.0.1:7856';

/** The page of a service's routes and methods. */
export function referencePage(
  program: string,
  reference: ServiceReference,
  documents: readonly string[],
  examples: Examples = {},
): string {
  const links = documents.map((name) => `[${name}](${name})`).join(' and ');
  return page(`${program}: reference`, [
    cell(reference.description),
    `The same for programs: ${links}. Codes and texts of errors by name: [errors](errors.md).`,
    ...section('Routes', reference.routes, examples),
    ...section('Methods', reference.methods, examples),
  ]);
}

function section(title: string, entries: readonly ReferenceEntry[], examples: Examples): string[] {
  return entries.length === 0
    ? []
    : [
        `## ${title}`,
        ...entries.flatMap((entry) => [...entryText(entry), ...exampleText(entry, examples[entry.name])]),
      ];
}

function entryText({ name, summary, description, notes, fields, response, errors }: ReferenceEntry): string[] {
  return [
    `### ${cell(name)}`,
    [summary, ...notes.map((note) => (note.endsWith('.') ? note : `${note}.`))].map(cell).join(' '),
    ...(description === '' ? [] : [description]),
    ...(fields.length === 0 ? [] : ['Request:', fieldTable(fields)]),
    `Response: ${cell(response.text)}.`,
    ...(response.fields.length === 0 ? [] : [fieldTable(response.fields)]),
    ...(errors.length === 0
      ? []
      : [
          'Errors:',
          table(
            ['Code', 'Text', 'When'],
            errors.map(({ code, text, when }) => [code, text === '' ? 'no body' : codeCell(text), cell(when)]),
          ),
        ]),
  ];
}

/** A command and its response, which a test of the program executes. */
function exampleText({ name, notes }: ReferenceEntry, example: Example | undefined): string[] {
  if (example === undefined) return [];
  const { path, body, status, response } = example;
  // The name of a method has no verb: every method is a POST request.
  const [verb] = name.includes(' ') ? name.split(' ') : ['POST'];
  const needsKey = notes.some((note) => note.startsWith('Requires the API key'));
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
    ...(response === null
      ? [`Status ${String(status)} without a body.`]
      : [`Status ${String(status)}:`, `\`\`\`\n${text}\n\`\`\``]),
  ];
}

function fieldTable(fields: readonly (FieldText & { readonly place?: string })[]): string {
  return table(
    ['Name', 'Type', 'More'],
    fields.map(({ name, type, required, text, place }) => [
      codeCell(name),
      cell(type),
      [place === undefined ? '' : `in ${place}`, required ? '' : 'optional', cell(text)].filter(Boolean).join('; '),
    ]),
  );
}

/** A table of errors of a service, by their names in the code. */
export interface ErrorTable {
  readonly title: string;
  readonly text: string;
  readonly rows: Readonly<Record<string, ErrorRow>>;
  /** Text of the code column, if it is not `status, code`. */
  readonly codeOf?: (row: never) => string;
  /** Title of the column of `when`, if the rows have a name there. */
  readonly whenTitle?: string;
}

/** The page of a service's errors. */
export function errorsPage(program: string, tables: readonly ErrorTable[]): string {
  return page(`${program}: errors`, [
    'Errors are returned with exactly these texts; `{name}` is a placeholder. The [reference](reference.md) lists the ' +
      'errors of each route and method.',
    ...tables.flatMap(({ title, text, rows, codeOf, whenTitle = 'When' }) => [
      `## ${title}`,
      text,
      table(
        ['Name', 'Code', 'Text', whenTitle],
        Object.entries(rows).map(([name, row]) => [
          codeCell(name),
          codeOf === undefined ? errorRowText(row).code : codeOf(row as never),
          codeCell(row.text),
          cell(row.when),
        ]),
      ),
    ]),
  ]);
}
