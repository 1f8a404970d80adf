/** The quantile of the values at a share of 0 to 1; 0 without values. */
export function quantile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;
}

export const median = (values: readonly number[]): number => quantile(values, 0.5);

/** One line of a table: a name and right-aligned columns. */
export function row(name: string, columns: readonly (string | number)[]): string {
  const cells = columns.map((cell) => (typeof cell === 'number' ? Math.round(cell).toLocaleString('en-US') : cell));
  return name.padEnd(38) + cells.map((cell) => cell.padStart(14)).join('');
}

/** Milliseconds with two digits. */
export const milliseconds = (value: number): string => `${value.toFixed(2)} ms`;

/** Milliseconds since a `performance.now()`. */
export const since = (start: number): number => performance.now() - start;

/** Runs a benchmark's main function; an error ends the program with code 1. */
export function runBench(main: () => Promise<void>): void {
  main().catch((error: unknown) => {
    console.error(error);
    process.exitCode = 1;
  });
}
