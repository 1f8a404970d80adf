import type { Logger } from '@wrkz/service-kit';
import { FreeSpaceWatch } from './disk-space';
import { megabytes } from './room';

/**
 * Warns when the disk of the data directory gets short of space, and says when it has enough again.
 * @param least bytes
 * @returns ends it
 */
export function warnOfLowDisk(folder: string, least: number, logger: Pick<Logger, 'warning'>): () => void {
  const watch = new FreeSpaceWatch({ folder, least });
  watch.on('begin', (free) =>
    logger.warning(`the disk of ${folder} gets full: ${megabytes(free)} are free, less than ${megabytes(least)}`),
  );
  watch.on('end', (free) => logger.warning(`the disk of ${folder} has space again: ${megabytes(free)} are free`));
  watch.start();
  return () => watch.stop();
}
