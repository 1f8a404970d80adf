/** The first line of every page. */
const PRINTED = '<!-- Printed from the declarations by `npm run docs:print`; changes here are lost. -->';

/** A table cell with text: escapes markup and line breaks. */
export function cell(text: string): string {
  return text.replace(/\s+/g, ' ').replace(/[\\|<>*_`[\]]/g, '\\$&');
}

/** A table cell with code. */
export function codeCell(text: string): string {
  const fence = text.includes('`') ? '``' : '`';
  return text === '' ? '' : `${fence}${text.replace(/\|/g, '\\|').replace(/\s+/g, ' ')}${fence}`;
}

/** A table of cells made with `cell` or `codeCell`; empty without rows. */
export function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`;
  return rows.length === 0 ? '' : [line(head), line(head.map(() => '---')), ...rows.map(line)].join('\n');
}

/** A page with a title and the parts that are not empty, separated by empty lines. */
export function page(title: string, parts: readonly string[]): string {
  return `${[PRINTED, `# ${title}`, ...parts].filter((part) => part !== '').join('\n\n')}\n`;
}
