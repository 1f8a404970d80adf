import { killService } from './support/kills';

// Another process opens the files: all PBKDF2 iterations.
jest.unmock('node:crypto');

/* The environment variable KILLS is the number of kills. */

const KILLS = Number(process.env['KILLS'] ?? 100);

test(`${String(KILLS)} kills during sends, delayed sends and saves lose no response and pay nothing twice`, async () => {
  const { book, inWork } = await killService(KILLS, true);
  expect(inWork).toBeGreaterThan(KILLS / 2);
  const delayed = book.payments.filter(({ kind }) => kind === 'delayed').length;
  process.stdout.write(
    `${String(KILLS)} kills, ${String(inWork)} of them with a request under way, ` +
      `${String(book.payments.length)} payments, ${String(delayed)} of them delayed\n`,
  );
});
