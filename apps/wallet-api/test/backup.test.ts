import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { UsageError } from '@wrkz/service-kit';
import { restoreCommand } from '../src/restore';
import { parsed, requireStatus } from './support/chain-a-service';
import { exercises } from './support/exercises';
import { TestService } from './support/service';

exercises('backup-every', 'backup-keep');

const FILE = { filename: 'a.wallet', password: 'pw' };
const noOutput = (): void => undefined;

test('restores a backup of an open wallet with one command, overwrites nothing, and names the file of a failure', async () => {
  const service = await TestService.start();
  try {
    requireStatus(await service.json('POST', '/wallet/create', FILE), 200);
    const { address } = parsed<{ address: string }>(await service.json('POST', '/addresses/create'));
    requireStatus(await service.json('POST', '/backup', { file: 'backup' }), 200);
    requireStatus(await service.json('DELETE', '/wallet'), 200);
    const [backup, restored] = [join(service.folder, 'backup'), join(service.folder, 'restored')];
    await restoreCommand(['restore', backup, restored], noOutput)?.start();
    const failed = (from: string, to: string) => restoreCommand(['restore', from, to], noOutput)?.start();
    await expect(failed(backup, restored)).rejects.toThrow(`${restored} or a file beside it already exists`);
    await expect(failed(`${backup}.old`, `${restored}.old`)).rejects.toThrow(`cannot read the backup ${backup}.old`);
    await expect(failed(`${backup}.db`, `${restored}.old`)).rejects.toThrow(`cannot read the backup ${backup}.db`);
    await expect(failed(backup, join(service.folder, 'none', 'a'))).rejects.toThrow('no such file or directory');
    requireStatus(await service.json('POST', '/wallet/open', { ...FILE, filename: 'restored' }), 200);
    expect(parsed<{ addresses: string[] }>(await service.json('GET', '/addresses')).addresses).toContain(address);
  } finally {
    await service.stop();
  }
});

test('checks the arguments of the restore command', () => {
  expect(restoreCommand(['-r', 'restore'], noOutput)).toBeUndefined();
  expect(() => restoreCommand(['restore', 'only-one'], noOutput)).toThrow(UsageError);
});

test('writes scheduled backups beside the wallet', async () => {
  const intervals = jest.spyOn(globalThis, 'setInterval');
  const args = ['--backup-every', '7', '--backup-keep', '1', '--enable-metrics'];
  let now = Date.UTC(2026, 10, 24, 8, 0, 0);
  const service = await TestService.start(args, { now: () => now });
  const [callback] = intervals.mock.calls.find(([, delay]) => delay === 7 * 60_000) ?? [];
  intervals.mockRestore();
  try {
    requireStatus(await service.json('POST', '/wallet/create', FILE), 200);
    const backup = (time: string): string => join(service.folder, 'backups', `a.wallet.20261124T${time}Z`);
    const metric = async (): Promise<string> => (await service.json('GET', '/metrics')).text;
    callback?.();
    while (!(await metric()).includes(`wrkz_wallet_last_backup_timestamp_seconds ${String(now / 1000)}`));
    expect(existsSync(backup('080000'))).toBe(true);
    now += 3_600_000;
    while (existsSync(backup('080000'))) {
      callback?.();
      await metric();
    }
    expect(existsSync(`${backup('090000')}.db`)).toBe(true);
  } finally {
    await service.stop();
  }
});
