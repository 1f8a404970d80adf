import { readFileSync } from 'node:fs';

/** Prints rows of text under headings, in columns. */
export function printTable(headings, rows) {
  const all = [headings, ...rows.map((row) => row.map(String))];
  const widths = headings.map((_, i) => Math.max(...all.map((row) => (row[i] ?? '').length)));
  const lines = all.map((row) =>
    widths
      .map((width, i) => (row[i] ?? '').padEnd(width))
      .join('  ')
      .trimEnd(),
  );
  process.stdout.write(`\n${lines.join('\n')}\n`);
}

export const COUNT_HEADINGS = ['suites', 'tests passed', 'failed', 'skipped'];

/** The counts of a jest report (`--json`), in the order of COUNT_HEADINGS; dashes where a run made none. */
export function countsOf(report) {
  if (report === undefined) return COUNT_HEADINGS.map(() => '-');
  const { numTotalTestSuites, numPassedTests, numFailedTests, numFailedTestSuites, numPendingTests } = report;
  const suites =
    numFailedTestSuites === 0 ? numTotalTestSuites : `${numTotalTestSuites} (${numFailedTestSuites} failed)`;
  return [suites, numPassedTests, numFailedTests, numPendingTests];
}

/** The report that jest left in a file, if it did. */
export function readReport(file) {
  try {
    return JSON.parse(readFileSync(file, 'utf8'));
  } catch {
    return undefined;
  }
}
