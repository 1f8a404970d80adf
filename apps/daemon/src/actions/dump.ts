import { resolve } from 'node:path';
import { ensureDirectory } from '@wrkz/service-kit';
import { ChainClient } from '../chain/client';
import { exportDump, ExportRefused } from '../dump/export';
import { DumpReader } from '../dump/format';
import { importDump, type ImportReport } from '../dump/import';
import { BlockProgress, openingLines } from '../progress/progress';
import { engineOptions } from '../wiring/storage';
import { type ActionDependencies, newFile, resyncAtStart, withReader, writeError } from './action';

/** `--export-blockchain`: writes the stored chain into a dump file. */
export async function exportAction({ config, notice, screen, signal }: ActionDependencies): Promise<number> {
  const { network, options, storage } = config;
  if (storage.kind === 'pruned') {
    throw new ExportRefused('a pruned node exports no dump, because it does not store every block');
  }
  const path = newFile(config, 'dump-file');
  const progress = new BlockProgress({ label: 'Exporting', write: notice, screen });
  const startedAt = performance.now();
  try {
    const count = await withReader(config, (reader) =>
      exportDump({
        ...{ path, reader, network, signal },
        limit: options['max-export-blocks'],
        onProgress: (height, total) => progress.update(height, total),
      }),
    );
    const seconds = Math.round((performance.now() - startedAt) / 1000);
    progress.stop(`Exported ${String(count)} blocks. Time to export ${String(seconds)} seconds`);
    return 0;
  } catch (error) {
    throw (error as NodeJS.ErrnoException).syscall === undefined ? error : writeError('dump-file', path, error);
  } finally {
    progress.stop();
  }
}

/** `--import-blockchain`: adds the blocks of a dump file to the chain, with every check. Exit code 1 if it was stopped. */
export async function importAction({ config, notice, screen, signal }: ActionDependencies): Promise<number> {
  // Open the dump first: a missing file must not create an empty database.
  const dump = await DumpReader.open(resolve(config.options['dump-file']));
  resyncAtStart(config, notice);
  const directory = ensureDirectory(config.directory);
  const progress = new BlockProgress({ label: 'Importing', write: notice, screen });
  const chain = await ChainClient.start(engineOptions(config, directory));
  chain.on('diskShortage', (shortage) =>
    notice(shortage === undefined ? 'The disk has enough free space again' : `Waiting for disk space: ${shortage}`),
  );
  signal.addEventListener('abort', () => void chain.stop());
  for (const line of openingLines(chain.opening)) notice(line);
  const startedAt = performance.now();
  try {
    const onProgress = (height: number, total: number): void => progress.update(height, total);
    const report = await importDump({ dump, chain, signal, onProgress });
    progress.stop(importSummary(report, (performance.now() - startedAt) / 1000));
    return report.stopped ? 1 : 0;
  } finally {
    progress.stop();
    await chain.stop();
  }
}

function importSummary({ blocks, transactions, height, stopped }: ImportReport, seconds: number): string {
  const rate = blocks / Math.max(seconds, 0.001);
  return (
    `${stopped ? 'Stopped; imported' : 'Imported'} ${String(blocks)} blocks with ${String(transactions)} transactions ` +
    `in ${seconds.toFixed(1)} s (${rate.toFixed(0)} blocks/s); the tip is block ${String(height)}`
  );
}
