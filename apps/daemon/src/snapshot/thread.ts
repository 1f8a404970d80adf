import { exportSnapshot, openChainDb, totalRecords } from '@wrkz/chain-db';
import { serveThread } from '@wrkz/service-kit/base';
import type { ExportThread } from './protocol';

/** Milliseconds from one report of progress to the next. */
const REPORT_EVERY = 500;

serveThread<ExportThread>(({ directory, network }, { emit }) => {
  const db = openChainDb({ directory, network, readonly: true });
  let reported = 0;
  return {
    ready: undefined,
    calls: {
      export: async ({ liteHeight, path }, { signal }) => {
        const header = await exportSnapshot({
          ...{ reader: db.reader, network, liteHeight, path, signal },
          onProgress: (progress) => {
            if (performance.now() - reported < REPORT_EVERY) return;
            reported = performance.now();
            emit('progress', progress);
          },
        });
        return { records: Number(totalRecords(header)), digest: header.digest.toString('hex') };
      },
    },
    close: () => db.close(),
  };
});
