import type { ExportProgress } from '@wrkz/chain-db';
import type { NetworkName } from '@wrkz/core-types';

/** What an export is asked to do. */
export interface ExportOrder {
  readonly liteHeight: number;
  readonly path: string;
}

/** What a finished export has written. */
export interface ExportReport {
  readonly records: number;
  /** 64 hex characters. */
  readonly digest: string;
}

/** The thread that exports: it reads the chain through a connection of its own. */
export type ExportThread = {
  setup: { readonly directory: string; readonly network: NetworkName };
  ready: undefined;
  calls: { export: { argument: ExportOrder; result: ExportReport } };
  events: { progress: ExportProgress };
};
