'use strict';

const { existsSync, readFileSync, writeFileSync } = require('node:fs');
const { basename } = require('node:path');

/** Which names of tests stand in which file, as the run without a change has seen them. */
const NAMES_FILE = 'names-by-file.json';

/**
 * Runs the named tests first, in their order (WRKZ_TEST_ORDER, base names between commas), the others behind them. Jest
 * takes the longest first, but a mutant is given up at the first test that fails: the quick ones kill most. For a mutant
 * only the names of the tests that reach it are asked for, and a file without one of them is not even loaded.
 */
module.exports = class Sequencer {
  constructor({ globalConfig } = {}) {
    this.pattern = globalConfig?.testNamePattern;
  }

  sort(tests) {
    const order = (process.env.WRKZ_TEST_ORDER ?? '').split(',');
    const place = ({ path }) => order.indexOf(basename(path, '.test.ts')) + 1 || order.length + 1;
    return this.reaching(tests).sort((a, b) => place(a) - place(b));
  }

  reaching(tests) {
    if (!this.pattern || !existsSync(NAMES_FILE)) return [...tests];
    const names = JSON.parse(readFileSync(NAMES_FILE, 'utf8'));
    const pattern = new RegExp(this.pattern, 'i');
    return tests.filter(({ path }) => names[path]?.some((name) => pattern.test(name)) ?? true);
  }

  shard(tests) {
    return tests;
  }

  allFailedTests(tests) {
    return tests;
  }

  cacheResults(tests, { testResults }) {
    if (this.pattern) return;
    const names = testResults.map(({ testFilePath, testResults: all }) => [
      testFilePath,
      all.map((one) => one.fullName),
    ]);
    writeFileSync(NAMES_FILE, JSON.stringify(Object.fromEntries(names)));
  }
};
