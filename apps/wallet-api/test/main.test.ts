import { join } from 'node:path';
import { VERSION } from '@wrkz/service-kit';
import { freePort } from '@wrkz/testing';
import { runSource } from '@wrkz/testing/source';

test('prints the version of the suite', () => {
  const result = runSource(join(__dirname, '../src/main.ts'), ['--version']);
  expect(result).toEqual({ code: 0, stdout: `wrkz-wallet-api ${VERSION}\n`, stderr: '' });
});

test('prints the reason of a failed start without logging', async () => {
  const none = join(__dirname, 'no-such-folder');
  const port = String(await freePort());
  const args = ['-r', 'x', '--network', 'devnet', '-p', port, '--no-console', '--wallet-dir', none];
  const { code, stderr } = runSource(join(__dirname, '../src/main.ts'), args);
  expect({ code, stderr }).toEqual({ code: 1, stderr: `cannot start: --wallet-dir: ${none} is not a directory\n` });
});
