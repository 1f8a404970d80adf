import { NotificationHooks } from '@wrkz/service-kit';
import { Folder, generate, TestService } from './support/service';

const folder = new Folder();

afterAll(() => folder.remove());
afterEach(() => jest.restoreAllMocks());

test('the container is saved and closed although another part cannot be closed', async () => {
  const file = folder.file('wallet');
  await generate(file, '');
  const service = await TestService.start({ file, node: 1 });
  const { wallet } = service.rpc.context;
  const { address } = await wallet.createSubWallet();
  jest.spyOn(NotificationHooks.prototype, 'close').mockRejectedValue(new Error('disk full'));
  const failure: unknown = await service.stop().catch((error: unknown) => error);
  expect(wallet.isClosed).toBe(true);
  expect(failure).toMatchObject({ message: 'closing the notification hooks failed: disk full' });
  jest.restoreAllMocks();
  const again = await TestService.start({ file, node: 1 });
  expect(again.rpc.context.wallet.snapshot.addresses).toContain(address);
  await again.stop();
});

test('a failed start closes the container and reports why it failed', async () => {
  const file = folder.file('other');
  await generate(file, '');
  const first = await TestService.start({ file, node: 1 });
  const other = folder.file('third');
  await generate(other, '');
  await expect(TestService.start({ file: other, node: 1 }, { port: first.rpc.port })).rejects.toThrow('already in use');
  const again = await TestService.start({ file: other, node: 1 });
  await Promise.all([again.stop(), first.stop()]);
});
