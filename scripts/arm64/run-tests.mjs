/**
 * Runs test files in this very process: `node run-tests.mjs <file.js> ...`. Jest itself cannot come along to another
 * processor, since its resolver and its compiler are native programs; its test runner and its `expect` are plain
 * JavaScript, and the files were compiled before. Ends with code 1 when a test failed or none ran.
 */
import { createRequire } from 'node:module';
import { basename } from 'node:path';
import { expect } from 'expect';
import * as circus from 'jest-circus';

const require = createRequire(import.meta.url);

const PATIENCE = 600_000; // emulated, everything takes twenty times as long

const { beforeAll, beforeEach, afterAll, afterEach, describe, it, test } = circus;
const jest = { setTimeout: () => undefined }; // our patience is longer than any that a test asks for
Object.assign(globalThis, { beforeAll, beforeEach, afterAll, afterEach, describe, it, test, expect, jest });

async function runFile(file) {
  circus.resetState();
  circus.getState().testTimeout = PATIENCE;
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
