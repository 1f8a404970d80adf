import { killService } from './support/kills';

// Another process opens the files: all PBKDF2 iterations.
jest.unmock('node:crypto');

// A hundred kills are in kill.slow.test.ts.
test('two kills during sends, delayed sends and saves lose no response and pay nothing twice', async () => {
  const { book } = await killService(2);
  expect(book.payments.length).toBeGreaterThan(0);
});
