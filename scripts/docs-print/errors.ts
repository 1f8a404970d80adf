import type { ErrorRow } from '../../packages/service-kit/src';
import { errorRowText } from './declarations';
import { cell, codeCell, page, table } from './markdown';

/** A table of errors of a service, by their names in the code. */
export interface ErrorTable {
  readonly title: string;
  readonly text: string;
  readonly rows: Readonly<Record<string, ErrorRow>>;
  /** Text of the code column, if it is not `status, code`. */
  readonly codeOf?: (row: never) => string;
}

/** The page of a service's errors. */
export function errorsPage(program: string, tables: readonly ErrorTable[]): string {
  return page(`${program}: errors`, [
    'Errors are returned with exactly these texts; `{name}` is a placeholder. The [reference](reference.md) lists the ' +
      'errors of each route and method.',
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
