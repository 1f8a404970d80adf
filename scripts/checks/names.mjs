/**
 * `node scripts/checks/names.mjs`: one name, one thing. Fails when two packages or rooms declare and export one name,
 * and when a function bears a name that tells nothing.
 */
import { functionNames, namesDefinedTwice, parse } from '../lib/exports.mjs';
import { main } from '../lib/run.mjs';
import { sourceFiles } from '../lib/sources.mjs';

/** Names that several places may declare, each with the reason. */
const MAY_STAND_TWICE = new Map([]);

/** Names of functions that do not say what is done to what. */
const EMPTY_WORDS = new Set(['know', 'told', 'keep']);

await main(() => {
  let found = 0;
  const twice = namesDefinedTwice();
  for (const [name, files] of twice) {
    if (MAY_STAND_TWICE.has(name)) continue;
    found += 1;
    process.stderr.write(`${name} is declared in ${files.join(' and ')}\n`);
  }
  for (const name of MAY_STAND_TWICE.keys()) {
    if (twice.has(name)) continue;
    found += 1;
    process.stderr.write(`${name} is an exception in scripts/checks/names.mjs and no longer needs to be one\n`);
  }
  for (const file of sourceFiles()) {
    for (const { name, line } of functionNames(parse(file))) {
      if (!EMPTY_WORDS.has(name)) continue;
      found += 1;
      process.stderr.write(`${file}:${line}: a function called ${name}; say what it does\n`);
    }
  }
  return found === 0 ? 0 : 1;
});
