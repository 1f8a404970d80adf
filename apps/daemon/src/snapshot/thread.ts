import { type ExportProgress, exportSnapshot, openChainDb, totalRecords } from '@wrkz/chain-db';
import type { NetworkName } from '@wrkz/core-types';
import { serveThread } from '@wrkz/service-kit/base';

export interface ExportOrder {
  readonly liteHeight: number;
  readonly path: string;
}

/** The result of a finished export. */
export interface ExportReport {
  readonly records: number;
  /** 64 hex characters. */
  readonly digest: string;
}

/** The thread that exports snapshots, with a database connection of its own. */
export type ExportThread = {
  setup: { readonly directory: string; readonly network: NetworkName };
  ready: undefined;
  calls: { export: { argument: ExportOrder; result: ExportReport } };
  events: { progress: ExportProgress };
};

const PROGRESS_INTERVAL_MS = 500;

serveThread<ExportThread>(({ directory, network }, { emit }) => {
  const db = openChainDb({ directory, network, readonly: true });
  let reportedAt = 0;
  return {
    ready: undefined,
    calls: {
      export: async ({ liteHeight, path }, { signal }) => {
        const header = await exportSnapshot({
          ...{ reader: db.reader, network, liteHeight, path, signal },
          onProgress: (progress) => {
            if (performance.now() - reportedAt < PROGRESS_INTERVAL_MS) return;
            reportedAt = performance.now();
            emit('progress', progress);
          },
        });
        return { records: Number(totalRecords(header)), digest: header.digest.toString('hex') };
      },
    },
    close: () => db.close(),
  };
});
