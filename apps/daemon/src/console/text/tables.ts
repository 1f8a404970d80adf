type Row = readonly string[];

/** Labels and values between two rules of dashes, each column as wide as its widest entry. */
export function labelTable(rows: readonly (readonly [label: string, value: string])[]): string {
  const [labels = 0, values = 0] = widths(rows);
  const rule = '-'.repeat(labels + values + 7);
  const lines = rows.map(([label, value]) => `| ${label.padEnd(labels)} | ${value.padEnd(values)} |`);
  return [rule, ...lines, rule, ''].join('\n');
}

/** A grid with borders of + and -, its first row the header. */
export function grid(header: Row, rows: readonly Row[]): string {
  const all = widths([header, ...rows]);
  const border = `+${all.map((width) => '-'.repeat(width + 2)).join('+')}+`;
  const line = (row: Row): string => `|${all.map((width, i) => ` ${(row[i] ?? '').padEnd(width)} `).join('|')}|`;
  return [border, line(header), border, ...rows.map(line), border, ''].join('\n');
}

/** `Label: value`, a line each. */
export function labelLines(rows: readonly (readonly [label: string, value: string | number])[]): string {
  return rows.map(([label, value]) => `${label}: ${value}\n`).join('');
}

function widths(rows: readonly Row[]): number[] {
  const columns = Math.max(0, ...rows.map((row) => row.length));
  return Array.from({ length: columns }, (_, i) =>
    rows.reduce((widest, row) => Math.max(widest, (row[i] ?? '').length), 0),
  );
}
