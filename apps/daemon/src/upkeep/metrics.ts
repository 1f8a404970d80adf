import type { FileSpace } from '@wrkz/chain-db';
import type { Logger, Metrics } from '@wrkz/service-kit';
import type { ChainClient } from '../chain/client';
import type { Compaction } from './compaction';

/** Logs when the writer pauses because the disk is full, and when it resumes. @returns a function that ends the logging */
export function logWritePauses(
  chain: Pick<ChainClient, 'on' | 'off'>,
  logger: Pick<Logger, 'error' | 'warning'>,
): () => void {
  const onDiskShortage = (shortage: string | undefined): void => {
    if (shortage === undefined) logger.warning('the disk has enough free space again: blocks are accepted again');
    else logger.error(`no blocks are accepted until the disk has free space: ${shortage}. Requests are still answered`);
  };
  chain.on('diskShortage', onDiskShortage);
  return () => void chain.off('diskShortage', onDiskShortage);
}

export interface UpkeepMetricsSources {
  readonly paused: () => boolean;
  readonly freeBytes: () => number;
  /** Undefined if the file header is damaged: the metrics are absent then. */
  readonly fileSpace: () => FileSpace | undefined;
  readonly logBytes: () => number;
  readonly compaction: Pick<Compaction, 'isRunning' | 'counts'>;
}

export function publishUpkeepMetrics({ shared }: Metrics, sources: UpkeepMetricsSources): void {
  const { paused, freeBytes, fileSpace, logBytes, compaction } = sources;
  const gauge = (name: string, help: string, read: () => number | undefined): void =>
    void shared.gauge(`wrkz_${name}`, help, [], (own) => {
      const value = read();
      if (value === undefined) own.remove();
      else own.set(value);
    });
  const bytesOf = (pages: 'pages' | 'emptyPages') => (): number | undefined => {
    const space = fileSpace();
    return space && space.pageSize * space[pages];
  };
  gauge('disk_free_bytes', 'Bytes free on the disk of the database', () => Math.min(freeBytes(), Number.MAX_VALUE));
  gauge('writes_paused', 'Whether blocks wait for free space on the disk', () => Number(paused()));
  gauge('db_bytes', 'Bytes of the database, free pages included', bytesOf('pages'));
  gauge('db_empty_bytes', 'Bytes of the free pages in the database', bytesOf('emptyPages'));
  gauge('db_log_bytes', 'Bytes of the write-ahead log', logBytes);
  gauge('compaction_running', 'Whether a compaction of the database is running', () => Number(compaction.isRunning));
  shared.counted('wrkz_compactions_total', 'Compactions since the start, by result', [
    [{ result: 'completed' }, () => compaction.counts.completed],
    [{ result: 'failed' }, () => compaction.counts.failed],
  ]);
}
