import type { MemberText, ReferenceEntry, ServiceReference } from '../../packages/service-kit/src';
import { cell, codeCell, page, table } from './markdown';

/** The page of a service's routes and methods. */
export function referencePage(program: string, reference: ServiceReference, documents: readonly string[]): string {
  const links = documents.map((name) => `[${name}](${name})`).join(' and ');
  return page(`${program}: reference`, [
    cell(reference.description),
    `The same for programs: ${links}. Codes and texts of errors by name: [errors](errors.md).`,
    ...section('Routes', reference.routes),
    ...section('Methods', reference.methods),
  ]);
}

function section(title: string, entries: readonly ReferenceEntry[]): string[] {
  return entries.length === 0 ? [] : [`## ${title}`, ...entries.flatMap(entryText)];
}

function entryText({ name, summary, description, notes, members, answer, errors }: ReferenceEntry): string[] {
  return [
    `### ${cell(name)}`,
    [summary, ...notes.map((note) => (note.endsWith('.') ? note : `${note}.`))].map(cell).join(' '),
    ...(description === '' ? [] : [description]),
    ...(members.length === 0 ? [] : ['Request:', memberTable(members)]),
    `Answer: ${cell(answer.text)}.`,
    ...(answer.members.length === 0 ? [] : [memberTable(answer.members)]),
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

function memberTable(members: readonly (MemberText & { readonly place?: string })[]): string {
  return table(
    ['Name', 'Type', 'More'],
    members.map(({ name, type, required, text, place }) => [
      codeCell(name),
      cell(type),
      [place === undefined ? '' : `in ${place}`, required ? '' : 'optional', cell(text)].filter(Boolean).join('; '),
    ]),
  );
}
