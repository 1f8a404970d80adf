'use strict';

const { default: TestRunner } = require('jest-runner');

/**
 * Stops a run after the first test file with a failure: one failed test kills a mutant. Stryker switches off the `bail`
 * option of jest, because jest then ends the whole process.
 */
module.exports = class BailingRunner extends TestRunner {
  runTests(tests, watcher, options) {
    // Jest has subscribed before and has recorded the result by now; it ignores results after the interruption.
    const stop = () => watcher.setState({ interrupted: true });
    this.on('test-file-success', ([, { numFailingTests }]) => {
      if (numFailingTests > 0) stop();
    });
    this.on('test-file-failure', stop);
    return super.runTests(tests, watcher, options);
  }
};
