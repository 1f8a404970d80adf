import { chainAWallet } from '@wrkz/testing';
import { parsed, requireStatus } from './support/chain-a-service';
import { TestService } from './support/service';

let service: TestService;
const file = { filename: 'a.wallet', password: 'pw' };

beforeAll(async () => {
  service = await TestService.start();
  requireStatus(await service.json('POST', '/wallet/create', file), 200);
});

afterAll(() => service.stop());

test('stores labels of addresses and transactions in the wallet database', async () => {
  const { address } = chainAWallet('bob');
  const hash = 'AB'.repeat(32);
  requireStatus(await service.json('PUT', `/labels/${address}`, { text: 'Bob' }), 200);
  requireStatus(await service.json('PUT', `/labels/${hash}`, { text: 'rent' }), 200);
  requireStatus(await service.json('PUT', `/labels/${address}`, { text: 'Robert' }), 200);
  requireStatus(await service.json('DELETE', '/wallet'), 200);
  requireStatus(await service.json('POST', '/wallet/open', file), 200);
  const labels = async (): Promise<unknown> => parsed(await service.json('GET', '/labels'))['labels'];
  expect(await labels()).toEqual([
    { subject: address, text: 'Robert' },
    { subject: hash.toLowerCase(), text: 'rent' },
  ]);
  requireStatus(await service.json('DELETE', `/labels/${hash}`), 200);
  requireStatus(await service.json('DELETE', `/labels/${hash}`), 404);
  expect(await labels()).toEqual([{ subject: address, text: 'Robert' }]);
  for (const text of ['', 'x'.repeat(501)]) {
    requireStatus(await service.json('PUT', `/labels/${address}`, { text }), 400);
  }
});
