'use strict';

const { existsSync, readFileSync, writeFileSync } = require('node:fs');
const { default: TestRunner } = require('jest-runner');

/** The names of the tests in each test file and its run time in milliseconds, from the run without a mutant. */
const FILES_FILE = 'test-files.json';

/**
 * One failed test kills a mutant, and quick files kill most: runs these first, and stops after the first file with a failure.
 * Stryker switches off the `bail` option of jest, because jest then ends the whole process.
 */
module.exports = class MutantRunner extends TestRunner {
  async runTests(tests, watcher, options) {
    const { testNamePattern } = this._globalConfig;
    const files = {};
    // Jest has subscribed before and has recorded the result by now; it ignores results after the interruption.
    const stop = () => watcher.setState({ interrupted: true });
    this.on('test-file-success', ([{ path }, { numFailingTests, testResults, perfStats }]) => {
      files[path] = { names: testResults.map(({ fullName }) => fullName), runtime: perfStats.runtime };
      if (numFailingTests > 0) stop();
    });
    this.on('test-file-failure', stop);
    await super.runTests(testNamePattern ? selected(tests, testNamePattern) : tests, watcher, options);
    if (!testNamePattern) writeFileSync(FILES_FILE, JSON.stringify(files));
  }
};

/** For a mutant jest gets the names of the tests that reach it; files without such a test are not loaded. */
function selected(tests, testNamePattern) {
  if (!existsSync(FILES_FILE)) return tests;
  const files = JSON.parse(readFileSync(FILES_FILE, 'utf8'));
  const pattern = new RegExp(testNamePattern, 'i');
  const runtimeOf = ({ path }) => files[path]?.runtime ?? 0;
  return tests
    .filter(({ path }) => files[path]?.names.some((name) => pattern.test(name)) ?? true)
    .sort((a, b) => runtimeOf(a) - runtimeOf(b));
}
