/**
 * `node run-tests.mjs <file.js> ...`: runs compiled test files in this process with the test runner and `expect` of jest.
 * Jest itself does not run on the emulated processor: its resolver and compiler are native modules of this machine. Exits
 * with 1 if a test fails or none runs.
 */
import { createRequire } from 'node:module';
import { basename } from 'node:path';
import { expect } from 'expect';
import * as circus from 'jest-circus';

const require = createRequire(import.meta.url);

/** The emulator is about 20 times slower. */
const TIMEOUT_MS = 600_000;

const { beforeAll, beforeEach, afterAll, afterEach, describe, it, test } = circus;
// TIMEOUT_MS is longer than the timeout of any test.
const jest = { setTimeout: () => undefined };
Object.assign(globalThis, { beforeAll, beforeEach, afterAll, afterEach, describe, it, test, expect, jest });

async function runFile(file) {
  circus.resetState();
  circus.getState().testTimeout = TIMEOUT_MS;
  require(file);
  const { testResults, unhandledErrors } = await circus.run();
  const failed = testResults.filter(({ errors }) => errors.length > 0);
  const passed = testResults.filter(({ status, errors }) => status === 'done' && errors.length === 0);
  for (const { testPath, errors } of failed) console.error(testPath.slice(1).join(' > '), ...errors);
  if (unhandledErrors.length > 0) console.error(...unhandledErrors);
  return { passed: passed.length, failed: failed.length + unhandledErrors.length };
}

let broken = false;
for (const file of process.argv.slice(2)) {
  const started = Date.now();
  const { passed, failed } = await runFile(file);
  broken ||= failed > 0 || passed === 0;
  console.log(`${basename(file)}: ${passed} passed, ${failed} failed, ${Math.round((Date.now() - started) / 1000)} s`);
}
process.exitCode = broken ? 1 : 0;
