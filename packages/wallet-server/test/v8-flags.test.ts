import { execFileSync } from 'node:child_process';
import { join } from 'node:path';

const top = join(__dirname, '../../..');

/** Allocates young objects, many of which survive, and prints the size of their space before and afterwards. */
const PROGRAM = `
  const { getHeapSpaceStatistics } = require('node:v8');
  const size = () => getHeapSpaceStatistics().find(({ space_name }) => space_name === 'new_space').space_size;
  require(${JSON.stringify(join(__dirname, '../src/v8-flags.ts'))});
  const before = size();
  const kept = [];
  for (let i = 0; i < 3_000_000; i++) {
    kept.push({ i });
    if (kept.length > 200_000) kept.length = 0;
  }
  console.log(JSON.stringify({ before, after: size() }));
`;

test('the space of young objects does not grow', () => {
  const args = ['-r', join(top, 'scripts/source-loader.cjs'), '-e', PROGRAM];
  const { before, after } = JSON.parse(execFileSync(process.execPath, args, { encoding: 'utf8' })) as {
    before: number;
    after: number;
  };
  expect(after).toBeLessThanOrEqual(before);
});
