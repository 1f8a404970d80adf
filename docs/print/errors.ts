import { errorRowText, type ErrorRow } from '../../packages/service-kit/src';
import { cell, codeCell, page, table } from './markdown';

/** A table of errors of a service, by their names in the code. */
export interface ErrorTable {
  readonly title: string;
  readonly text: string;
  readonly rows: Readonly<Record<string, ErrorRow>>;
  /** What stands in the column of codes, where it is more than status and code. */
  readonly codeOf?: (row: never) => string;
}

/** The page of a service's errors. */
export function errorsPage(program: string, tables: readonly ErrorTable[]): string {
  return page(`${program}: errors`, [
    'Texts are told word for word; `{name}` stands for what is filled in. Which route or method gives which error ' +
      'stands in the [reference](reference.md).',
    ...tables.flatMap(({ title, text, rows, codeOf }) => [
      `## ${title}`,
      text,
      table(
        ['Name', 'Code', 'Text', 'When'],
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
