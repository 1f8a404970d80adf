import { existsSync, readFileSync } from 'node:fs';

/** Counts of a jest run by its `--json` report: a row for `console.table`; empty if the run wrote none. */
export function jestCounts(file) {
  if (!existsSync(file)) return {};
  const report = JSON.parse(readFileSync(file, 'utf8'));
  return {
    suites: report.numTotalTestSuites,
    'failed suites': report.numFailedTestSuites,
    passed: report.numPassedTests,
    failed: report.numFailedTests,
    skipped: report.numPendingTests,
  };
}
