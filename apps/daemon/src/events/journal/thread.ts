import { errorText, serveThread } from '@wrkz/service-kit/base';
import { type JournalThread, JournalWriter } from './writer';

const DELETE_INTERVAL_MS = 60_000;

/** Worker thread of the journal: one connection writes the journal, one reads the chain. */
serveThread<JournalThread>((options, { emit }) => {
  const writer = new JournalWriter(options, { warn: (text) => emit('warning', text), now: Date.now });
  const deleteOld = (): void =>
    void writer.deleteOld().catch((error: unknown) => {
      emit('warning', `old events could not be deleted: ${errorText(error)}`);
    });
  const timer = setInterval(deleteOld, DELETE_INTERVAL_MS);
  return {
    ready: undefined,
    calls: {
      open: async () => {
        const status = await writer.open();
        deleteOld();
        return status;
      },
      begin: (position) => writer.begin(position),
      append: (events) => writer.append(events),
      complete: ({ pool }) => writer.complete(pool),
      renew: (reason) => writer.renew(reason),
    },
    close: () => {
      clearInterval(timer);
      writer.close();
    },
  };
});
