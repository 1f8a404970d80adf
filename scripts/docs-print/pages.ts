import { stringifyJson } from '../../packages/service-kit/src';
import { page, table } from './markdown';
import { optionsPage } from './options';
import { errorsPage, referencePage } from './reference';
import { PRINTED_SERVICES, type PrintedService } from './services';

/** A file below docs/api. */
export interface PrintedPage {
  readonly path: string;
  readonly text: string;
}

/** Everything that is printed, in the order of the list on top. */
export function printedPages(): PrintedPage[] {
  return [{ path: 'README.md', text: contents() }, ...PRINTED_SERVICES.flatMap(pagesOf)];
}

function pagesOf(service: PrintedService): PrintedPage[] {
  const { folder, program, helps, errors, reference, examples } = service;
  const documents = documentsOf(service);
  return [
    { path: `${folder}/options.md`, text: optionsPage(program, helps) },
    ...(errors.length === 0 ? [] : [{ path: `${folder}/errors.md`, text: errorsPage(program, errors) }]),
    ...(reference === undefined
      ? []
      : [
          { path: `${folder}/reference.md`, text: referencePage(program, reference, Object.keys(documents), examples) },
        ]),
    ...Object.entries(documents).map(([name, document]) => ({ path: `${folder}/${name}`, text: jsonText(document) })),
  ];
}

function documentsOf({ openapi, openrpc }: PrintedService): Readonly<Record<string, object>> {
  return {
    ...(openapi === undefined ? {} : { 'openapi.json': openapi }),
    ...(openrpc === undefined ? {} : { 'openrpc.json': openrpc }),
  };
}

function jsonText(document: object): string {
  return `${JSON.stringify(JSON.parse(stringifyJson(document)), null, 1)}\n`;
}

function contents(): string {
  const row = (service: PrintedService): string[] => {
    const { folder, program } = service;
    const link = (name: string, file: string): string => `[${name}](${folder}/${file})`;
    return [
      `\`${program}\``,
      link('options', 'options.md'),
      service.reference === undefined ? '' : link('reference', 'reference.md'),
      service.errors.length === 0 ? '' : link('errors', 'errors.md'),
      Object.keys(documentsOf(service))
        .map((name) => link(name, name))
        .join(', '),
    ];
  };
  return page('API', [
    'Printed from the declarations that the programs run by. Each program also serves them: `/docs` is the page for ' +
      'people, `/openapi.json` (wallet-rpc, and the methods of the daemon: `rpc.discover`) the one for programs.',
    table(['Program', 'Options', 'Routes and methods', 'Errors', 'For programs'], PRINTED_SERVICES.map(row)),
  ]);
}
