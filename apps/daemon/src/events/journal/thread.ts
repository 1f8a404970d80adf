import { errorText, serveThread } from '@wrkz/service-kit/base';
import type { JournalThread } from './protocol';
import { JournalWriter } from './writer';

/** Milliseconds from one deletion of old entries to the next. */
const SWEEP_INTERVAL = 60_000;

/** The thread of the journal: one writing connection, and one that reads the chain. */
serveThread<JournalThread>((setup, { emit }) => {
  const writer = new JournalWriter(setup, {
    warn: (text) => emit('warning', text),
    now: Date.now,
  });
  const sweep = (): void =>
    void writer.sweep().catch((error: unknown) => {
      emit('warning', `old events could not be deleted: ${errorText(error)}`);
    });
  const sweeps = setInterval(sweep, SWEEP_INTERVAL);
  return {
    ready: undefined,
    calls: {
      open: async () => {
        const standing = await writer.open();
        sweep();
        return standing;
      },
      begin: (position) => writer.begin(position),
      append: (events) => writer.append(events),
      complete: ({ pool }) => writer.complete(pool),
      renew: (why) => writer.renew(why),
    },
    close: () => {
      clearInterval(sweeps);
      writer.close();
    },
  };
});
