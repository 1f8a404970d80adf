import { killService } from './support/kills';

jest.setTimeout(300_000);

// A hundred kills are in kill.slow.test.ts.
test('killed three times while clients send, delay and save, it knows what it has answered and pays once', async () => {
  const { book } = await killService(3);
  expect(book.payments.length).toBeGreaterThan(0);
});
