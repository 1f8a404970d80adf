/**
 * `node scripts/checks/declarations.mjs`: fails when two folders declare and export one name, or when two exported object
 * types have the same shape.
 */
import { equalShapes, namesDefinedTwice } from '../lib/exports.mjs';
import { main } from '../lib/run.mjs';

/** Types of the same shape that stay two, by `file#Name` of the first, with the reason. */
const MAY_BE_EQUAL = new Map([]);

await main(() => {
  const problems = [...namesDefinedTwice()].map(([name, files]) => `${name} is declared in ${files.join(' and ')}`);
  const equal = equalShapes();
  for (const types of equal) {
    if (!MAY_BE_EQUAL.has(types[0])) problems.push(`types of the same shape: ${types.join(', ')}`);
  }
  for (const name of MAY_BE_EQUAL.keys()) {
    if (!equal.some((types) => types[0] === name)) problems.push(`${name} is an exception that is no longer needed`);
  }
  for (const problem of problems) process.stderr.write(`${problem}\n`);
  return problems.length === 0 ? 0 : 1;
});
