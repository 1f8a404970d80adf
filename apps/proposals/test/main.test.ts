import { join } from 'node:path';
import { VERSION } from '@wrkz/service-kit';
import { runSource } from '@wrkz/testing/source';

const run = (...args: string[]) => runSource(join(__dirname, '../src/main.ts'), args);

test('started by itself it tells its version, that of the suite, and that it is not built yet', () => {
  expect(run()).toEqual({ code: 1, stdout: '', stderr: 'wrkz-proposals: the proposal listing is not built yet\n' });
  expect(run('--version')).toEqual({ code: 0, stdout: `wrkz-proposals ${VERSION}\n`, stderr: '' });
});
