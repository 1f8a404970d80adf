'use strict';

const { existsSync, readFileSync, writeFileSync } = require('node:fs');

/** The names of the tests in each test file and its run time in milliseconds, from the run without a mutant. */
const FILES_FILE = 'test-files.json';

/**
 * Runs the quick test files first: a run ends at the first failed test, and quick files kill most mutants. For a mutant jest
 * gets the names of the tests that reach it; files without such a test are not loaded.
 */
module.exports = class Sequencer {
  constructor({ globalConfig } = {}) {
    this.pattern = globalConfig?.testNamePattern;
  }

  sort(tests) {
    if (!this.pattern || !existsSync(FILES_FILE)) return [...tests];
    const files = JSON.parse(readFileSync(FILES_FILE, 'utf8'));
    const pattern = new RegExp(this.pattern, 'i');
    const runtimeOf = ({ path }) => files[path]?.runtime ?? 0;
    return tests
      .filter(({ path }) => files[path]?.names.some((name) => pattern.test(name)) ?? true)
      .sort((a, b) => runtimeOf(a) - runtimeOf(b));
  }

  shard(tests) {
    return tests;
  }

  allFailedTests(tests) {
    return tests;
  }

  cacheResults(tests, { testResults }) {
    if (this.pattern) return;
    const files = testResults.map(({ testFilePath, testResults: all, perfStats }) => [
      testFilePath,
      { names: all.map(({ fullName }) => fullName), runtime: perfStats.runtime },
    ]);
    writeFileSync(FILES_FILE, JSON.stringify(Object.fromEntries(files)));
  }
};
