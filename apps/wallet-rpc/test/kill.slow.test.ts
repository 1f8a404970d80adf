import { killService } from './support/kills';

/* KILLS says how often. */

const KILLS = Number(process.env['KILLS'] ?? 100);

test(`killed ${String(KILLS)} times while clients send, delay and save, it knows what it has answered and pays once`, async () => {
  const { book, inWork } = await killService(KILLS, true);
  expect(inWork).toBeGreaterThan(KILLS / 2);
  const delayed = book.payments.filter(({ kind }) => kind === 'delayed').length;
  process.stdout.write(
    `${String(KILLS)} kills, ${String(inWork)} of them with a request under way, ` +
      `${String(book.payments.length)} payments, ${String(delayed)} of them delayed\n`,
  );
}, 10_800_000);
