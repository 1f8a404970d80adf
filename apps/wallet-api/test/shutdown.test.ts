import { NotificationHooks } from '@wrkz/service-kit';
import { requireStatus } from './support/chain-a-service';
import { TestService } from './support/service';

test('saves and closes the wallet although another part cannot be closed', async () => {
  const service = await TestService.start();
  requireStatus(await service.json('POST', '/wallet/create', { filename: 'a.wallet', password: 'pw' }), 200);
  const wallet = service.api.current?.wallet;
  const closeHooks = NotificationHooks.prototype.close;
  jest.spyOn(NotificationHooks.prototype, 'close').mockImplementationOnce(async function (this: NotificationHooks) {
    await closeHooks.call(this);
    throw new Error('a test');
  });
  await expect(service.api.stop()).rejects.toThrow('closing the notification hooks failed: a test');
  expect(wallet?.isClosed).toBe(true);
  await service.stop();
});
