'use strict';

/**
 * Entry point of a single executable: runs the program, or in a thread or child process the worker that `workerEntry`
 * named. `startThread` sets the name as a global; a child process gets it as its first argument.
 */
const { isMainThread } = require('node:worker_threads');

const PREFIX = 'embedded:';

/** @param {{main: () => void, workers: Record<string, () => void>}} program */
exports.launch = ({ main, workers }) => {
  const name = isMainThread ? process.argv[2] : globalThis.wrkzPart;
  if (!name?.startsWith(PREFIX)) return main();
  if (!Object.hasOwn(workers, name)) {
    process.stderr.write(`${name}: this executable has no such worker\n`);
    process.exit(1);
  }
  // As with `node <file>`: arguments follow the name of the file.
  if (isMainThread) process.argv.splice(1, 1);
  workers[name]();
};
