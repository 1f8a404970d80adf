'use strict';

const { TestEnvironment } = require('jest-environment-node');

/** Skips the tests of a file that follow a failed one: with an endless wait each of them would run into its timeout. */
module.exports = class BailingEnvironment extends TestEnvironment {
  failed = false;

  handleTestEvent({ name, test }) {
    if (name === 'test_fn_failure' || name === 'hook_failure') this.failed = true;
    else if (name === 'test_start' && this.failed) test.mode = 'skip';
  }
};
