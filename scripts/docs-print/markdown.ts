/** What stands at the head of every printed page. */
const PRINTED = '<!-- Printed from the declarations by `npm run docs:print`; changes here are lost. -->';

/** A cell of text: nothing in it is markup, and it stays one line. */
export function cell(text: string): string {
  return text.replace(/\s+/g, ' ').replace(/[\\|<>*_`[\]]/g, '\\$&');
}

/** A cell of code. */
export function codeCell(text: string): string {
  const fence = text.includes('`') ? '``' : '`';
  return text === '' ? '' : `${fence}${text.replace(/\|/g, '\\|').replace(/\s+/g, ' ')}${fence}`;
}

/** A table whose cells are markup already. */
export function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`;
  return [line(head), line(head.map(() => '---')), ...rows.map(line)].join('\n');
}

/** A page of paragraphs, tables and headings. */
export function page(title: string, parts: readonly string[]): string {
  return `${[PRINTED, `# ${title}`, ...parts].join('\n\n')}\n`;
}
