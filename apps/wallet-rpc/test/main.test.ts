import { copyFileSync } from 'node:fs';
import { join } from 'node:path';
import { VERSION } from '@wrkz/service-kit';
import { fixturePath } from '@wrkz/testing/fixtures';
import { runSource } from '@wrkz/testing/source';
import { Folder, TestService } from './support/service';

test('prints the version of the suite', () => {
  const result = runSource(join(__dirname, '../src/main.ts'), ['--version']);
  expect(result).toEqual({ code: 0, stdout: `wrkz-wallet-rpc ${VERSION}\n`, stderr: '' });
});

test('a converted container does not report the height of its history before a block of the chain confirms it', async () => {
  const folder = new Folder();
  const file = folder.file('old.container');
  copyFileSync(fixturePath('wallet/green/alice-synced.green'), file);
  const service = await TestService.start({ file, password: 'secret_alice', node: 1 });
  try {
    const status = await service.result<Record<string, unknown>>('getStatus');
    expect(status).toMatchObject({ blockCount: 1n, converting: true });
  } finally {
    await service.stop();
    folder.remove();
  }
});
