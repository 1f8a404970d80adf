import * as crypto from '../src';

afterEach(() => crypto.setThreads(crypto.hardwareThreads()));

test('a small batch does not wait for the large one before it', async () => {
  crypto.setThreads(1);
  const { secretKey, publicKey } = crypto.generateKeyPair();
  const large = Array.from({ length: 20_000 }, () => ({ publicKey, secretKey }));
  const order: string[] = [];
  await Promise.all([
    crypto.generateKeyImagesAsync(large).then(() => order.push('large')),
    crypto.checkKeysAsync([publicKey]).then(() => order.push('small')),
  ]);
  expect(order).toEqual(['small', 'large']);
});
