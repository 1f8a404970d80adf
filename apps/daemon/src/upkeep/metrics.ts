import type { Logger, Metrics } from '@wrkz/service-kit';
import type { ChainClient } from '../chain/client';

/** Tells the operator when blocks wait for room on the disk, and when they go on. @returns ends it */
export function logRoom(chain: Pick<ChainClient, 'on' | 'off'>, logger: Pick<Logger, 'error' | 'warning'>): () => void {
  const tell = (why: string | undefined): void => {
    if (why === undefined) logger.warning('there is room on the disk again, blocks are taken again');
    else logger.error(`no blocks are taken until there is room on the disk: ${why}. Requests are answered meanwhile`);
  };
  chain.on('room', tell);
  return () => void chain.off('room', tell);
}

/** What the upkeep tells in figures. */
export interface UpkeepFigures {
  readonly paused: () => boolean;
  readonly free: () => number;
  readonly space: () => { readonly pageSize: number; readonly pages: number; readonly emptyPages: number };
  readonly logBytes: () => number;
  readonly compaction: { readonly isRunning: boolean; readonly counts: { completed: number; failed: number } };
}

/** Publishes them. */
export function publishUpkeep({ shared }: Metrics, figures: UpkeepFigures): void {
  const gauge = (name: string, help: string, of: () => number): void =>
    void shared.gauge(`wrkz_${name}`, help, [], (own) => own.set(of()));
  gauge('disk_free_bytes', 'Bytes free on the disk of the database', () => Math.min(figures.free(), Number.MAX_VALUE));
  gauge('writes_paused', 'Whether blocks wait for room on the disk', () => Number(figures.paused()));
  gauge('db_bytes', 'Bytes of the database, its empty pages among them', () => bytes(figures, 'pages'));
  gauge('db_empty_bytes', 'Bytes of pages that hold nothing', () => bytes(figures, 'emptyPages'));
  gauge('db_log_bytes', 'Bytes of the write-ahead log', figures.logBytes);
  gauge('compaction_running', 'Whether the database is being compacted', () => Number(figures.compaction.isRunning));
  shared.counted('wrkz_compactions_total', 'Compactions since the start, by their end', [
    [{ result: 'completed' }, () => figures.compaction.counts.completed],
    [{ result: 'failed' }, () => figures.compaction.counts.failed],
  ]);
}

function bytes({ space }: UpkeepFigures, which: 'pages' | 'emptyPages'): number {
  const now = space();
  return now.pageSize * now[which];
}
