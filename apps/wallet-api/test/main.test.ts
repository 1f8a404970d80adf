import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { assetPath, VERSION } from '@wrkz/service-kit';

function run(...args: string[]) {
  const loader = assetPath('scripts/source-loader.cjs');
  const main = join(__dirname, '../src/main.ts');
  return spawnSync(process.execPath, ['-r', loader, main, ...args], { encoding: 'utf8' });
}

test('it says that it is not built yet and exits 1', () => {
  const { status, stderr } = run();
  expect(status).toBe(1);
  expect(stderr).toContain('wrkz-wallet-api: ');
  expect(stderr).toContain('not built yet');
});

test('it has the version of the suite', () => {
  const { status, stdout } = run('--version');
  expect([status, stdout]).toEqual([0, `wrkz-wallet-api ${VERSION}\n`]);
});
