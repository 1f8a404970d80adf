import { copyFileSync } from 'node:fs';
import { join } from 'node:path';
import { createMemoryLogger } from '@wrkz/service-kit';
import { fixturePath } from '@wrkz/testing';
import { TestService } from './support/service';

/* The first start of the program. */

const services: TestService[] = [];

afterEach(async () => {
  for (const service of services.splice(0)) await service.stop();
});

async function serve(...given: Parameters<typeof TestService.start>): Promise<TestService> {
  const service = await TestService.start(...given);
  services.push(service);
  return service;
}

test('refuses to start with an invalid --wallet-dir', async () => {
  for (const place of [join(__dirname, 'no-such-folder'), __filename]) {
    await expect(serve(['--wallet-dir', place])).rejects.toThrow(`--wallet-dir: ${place} is not a directory`);
  }
});

test('logs opening and closing of a wallet without its keys', async () => {
  const logger = createMemoryLogger();
  const service = await serve([], { logger });
  const body = { filename: 'first.wallet', password: 'of the wallet', daemonPort: 1 };
  expect((await service.json('POST', '/wallet/create', body)).status).toBe(200);
  expect((await service.json('DELETE', '/wallet')).status).toBe(200);
  const logged = logger.entries.filter(({ message }) => /^wallet (opened|closed)$/.test(message));
  const file = join(service.folder, body.filename);
  expect(logged).toMatchObject([
    { level: 'info', message: 'wallet opened', fields: { file, node: 'http://127.0.0.1:1' } },
    { level: 'info', message: 'wallet closed' },
  ]);
  expect(JSON.stringify(logger.entries)).not.toContain('of the wallet');
});

test('logs the reason of a refusal without a body, and no field value', async () => {
  const logger = createMemoryLogger();
  const service = await serve([], { logger });
  const body = { filename: 'none/first.wallet', password: 'of the wallet', daemonPort: 1 };
  expect((await service.json('POST', '/wallet/create', body)).status).toBe(400);
  expect((await service.json('POST', '/wallet/create', { ...body, daemonPort: 'of the wallet' })).text).toBe('');
  expect(logger.entries).toEqual(
    expect.arrayContaining([
      expect.objectContaining({ level: 'warning', message: 'error 2 was returned: no such file or directory' }),
      expect.objectContaining({ message: 'invalid field', fields: { field: 'daemonPort', problem: 'type' } }),
    ]),
  );
  expect(JSON.stringify(logger.entries)).not.toContain('of the wallet');
});

test('a converted wallet is not synchronized before a block of the chain confirms its history', async () => {
  const service = await serve();
  copyFileSync(fixturePath('wallet/green/alice-synced.green'), join(service.folder, 'old.wallet'));
  const body = { filename: 'old.wallet', password: 'secret_alice', daemonPort: 1 };
  expect((await service.json('POST', '/wallet/open', body)).status).toBe(200);
  const status = JSON.parse((await service.json('GET', '/status')).text) as Record<string, unknown>;
  expect(status).toMatchObject({ converting: true, isWalletSynced: false, isOutOfSync: true, walletBlockCount: 715 });
  expect(status).toMatchObject({ scanStartHeight: 0, scanStartTimestamp: 0 });
  const { address } = JSON.parse((await service.json('GET', '/addresses/primary')).text) as { address: string };
  const send = await service.json('POST', '/transactions/send/basic', { destination: address, amount: 1_000 });
  expect([send.status, JSON.parse(send.text)]).toMatchObject([503, { errorCode: 1009 }]);
});

test('documents that a key is always required', async () => {
  const service = await serve();
  const { text } = await service.json('GET', '/openapi.json');
  const { paths } = JSON.parse(text) as { paths: Record<string, Record<string, { security: object[] }>> };
  expect(paths['/status']?.['get']?.security).toEqual([{ apiKey: [] }]);
  expect(paths['/livez']?.['get']?.security).toEqual([]);
});
