import { resolve } from 'node:path';
import { isPlaceOfChain, openChainDb } from '@wrkz/chain-db';
import { exportDump, ExportRefused } from '../dump/export';
import { BlockProgress } from '../progress/progress';
import type { ActionParts } from './action';

/** `--export-blockchain`: writes the stored chain into a dump file. */
export async function exportAction({ config, notice, stream, signal }: ActionParts): Promise<number> {
  const { network, options, directory, storage } = config;
  if (storage.kind === 'pruned')
    throw new ExportRefused('a pruned node exports no dump, because it does not keep every block');
  const path = resolve(options['dump-file']);
  if (isPlaceOfChain(directory, path))
    throw new ExportRefused(`${path} is a name of the database itself; choose another one`);
  const progress = new BlockProgress({ label: 'Exporting', write: notice, stream });
  const db = openChainDb({ directory, network: network.name, readonly: true });
  const started = performance.now();
  try {
    const count = await exportDump({
      path,
      reader: db.reader,
      network,
      limit: options['max-export-blocks'],
      signal,
      onProgress: (height, total) => progress.update(height, total),
    });
    const seconds = Math.round((performance.now() - started) / 1000);
    progress.stop(`Exported ${String(count)} blocks. Time to export ${String(seconds)} seconds`);
    return 0;
  } finally {
    progress.stop();
    db.close();
  }
}
