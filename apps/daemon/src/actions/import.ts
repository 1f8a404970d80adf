import { resolve } from 'node:path';
import { ensureDirectory } from '@wrkz/service-kit';
import { ChainClient } from '../chain/client';
import { importDump, type ImportReport } from '../dump/import';
import { DumpReader } from '../dump/dump-reader';
import { openingLines } from '../progress/opening-lines';
import { BlockProgress } from '../progress/progress';
import { engineSetup } from '../wiring/storage-setup';
import type { ActionParts } from './action';
import { resyncAtStart } from './resync';

/** `--import-blockchain`: reads a dump file into the chain, through every check. Exit code 1 when it was stopped early. */
export async function importAction({ config, notice, stream, signal }: ActionParts): Promise<number> {
  const { options } = config;
  // Opened before anything else, so that a missing file leaves no empty database behind.
  const dump = await DumpReader.open(resolve(options['dump-file']));
  resyncAtStart(config, notice);
  const directory = ensureDirectory(config.directory);
  const progress = new BlockProgress({ label: 'Importing', write: notice, stream });
  const chain = await ChainClient.start(engineSetup(config, directory));
  chain.on('room', (why) => notice(why === undefined ? 'There is room on the disk again' : `Waiting: ${why}`));
  signal.addEventListener('abort', () => void chain.stop());
  for (const line of openingLines(chain.opening)) notice(line);
  const started = performance.now();
  try {
    const report = await importDump({
      dump,
      chain,
      signal,
      onProgress: (height, total) => progress.update(height, total),
    });
    progress.stop(importSummary(report, (performance.now() - started) / 1000));
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
