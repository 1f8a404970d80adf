'use strict';

const { TestEnvironment } = require('jest-environment-node');

/** Skips the tests of a file after a failed one, because an endless wait could make each of them time out. */
module.exports = class BailingEnvironment extends TestEnvironment {
  failed = false;

  handleTestEvent({ name, test }) {
    if (name === 'test_fn_failure' || name === 'hook_failure') this.failed = true;
    else if (name === 'test_start' && this.failed) test.mode = 'skip';
  }
};
