import { createMetrics } from '@wrkz/service-kit';
import { publishUpkeepMetrics } from '../../src/upkeep/metrics';

test('the bytes of the database are absent while the header of the file is damaged', async () => {
  const metrics = createMetrics('wrkz_');
  let space: { pageSize: number; pages: number; emptyPages: number } | undefined;
  publishUpkeepMetrics(metrics, {
    paused: () => false,
    freeBytes: () => 1,
    fileSpace: () => space,
    logBytes: () => 5,
    compaction: { isRunning: false, counts: { completed: 0, failed: 0 } },
  });
  const values = async (): Promise<string[]> =>
    (await metrics.registry.metrics()).split('\n').filter((line) => line.startsWith('wrkz_db_'));
  expect(await values()).toEqual(['wrkz_db_log_bytes 5']);
  space = { pageSize: 4096, pages: 3, emptyPages: 1 };
  expect(await values()).toEqual(['wrkz_db_bytes 12288', 'wrkz_db_empty_bytes 4096', 'wrkz_db_log_bytes 5']);
  space = undefined;
  expect(await values()).toEqual(['wrkz_db_log_bytes 5']);
});
