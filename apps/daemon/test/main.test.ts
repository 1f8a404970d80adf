import { join } from 'node:path';
import { VERSION } from '@wrkz/service-kit';
import { runSource } from '@wrkz/testing/source';

test('prints the version of the suite', () => {
  const reported = runSource(join(__dirname, '../src/main.ts'), ['--version']);
  expect(reported).toEqual({ code: 0, stdout: `wrkz-daemon ${VERSION}\n`, stderr: '' });
});
