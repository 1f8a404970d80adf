'use strict';

/**
 * The first code of a single executable. It becomes the program, or, in a thread or a child process, the part that
 * `workerEntry` named: a thread finds the name before its text, a process as its first argument.
 */
const { isMainThread } = require('node:worker_threads');

const PREFIX = 'embedded:';

/** @param {{main: () => void, parts: Record<string, () => void>}} program what the build found in it */
exports.launch = ({ main, parts }) => {
  const name = isMainThread ? process.argv[2] : globalThis.wrkzPart;
  if (!name?.startsWith(PREFIX)) return main();
  const part = Object.hasOwn(parts, name) ? parts[name] : undefined;
  if (part === undefined) {
    process.stderr.write(`${name}: no part of this program\n`);
    process.exit(1);
  }
  // as where Node.js is told to run a file: the arguments come after its name
  if (isMainThread) process.argv.splice(1, 1);
  part();
};
