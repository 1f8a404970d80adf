import { killService } from './support/kills';

jest.setTimeout(300_000);

// A hundred kills are in kill.slow.test.ts.
test('three kills while clients send, delay and save lose no response and pay nothing twice', async () => {
  const { book } = await killService(3);
  expect(book.payments.length).toBeGreaterThan(0);
});
