import { type ChainReader, openChainDb, verifyChain } from '@wrkz/chain-db';
import { BlockProgress } from '../progress/progress';
import type { ActionParts } from './action';

/**
 * `--verify`: verifies the whole database. Programs read the stream: it receives one line for each problem, then the state
 * digest (of a full database) and the rules digest. Exit code 1 when there is a problem, and after a signal.
 */
export async function verifyAction({ config, notice, stream, signal }: ActionParts): Promise<number> {
  const { network, directory } = config;
  const progress = new BlockProgress({ label: 'Verifying', write: notice, stream });
  const db = openChainDb({ directory, network: network.name, readonly: true });
  try {
    notice(`Verifying ${storedText(db.reader)}`);
    const onProgress = (height: number, tip: number): void => progress.update(height + 1, tip + 1);
    const report = await verifyChain(db, { onProgress, signal }).catch((error: unknown) => {
      if (signal.aborted) return undefined;
      throw error;
    });
    progress.stop();
    if (report === undefined) {
      notice('Stopped before the whole database was verified');
      return 1;
    }
    for (const problem of report.problems) stream.write(`${problem}\n`);
    const blocks = counted(report.height + 1, 'block');
    const count = report.problems.length;
    stream.write(count === 0 ? `${blocks}, no problem found\n` : `${blocks}, ${counted(count, 'problem')} found\n`);
    if (report.digest !== undefined) stream.write(`digest ${report.digest}\n`);
    if (report.rulesDigest !== undefined) stream.write(`rules digest ${report.rulesDigest}\n`);
    return count === 0 ? 0 : 1;
  } finally {
    progress.stop();
    db.close();
  }
}

function storedText(reader: ChainReader): string {
  const { bodies, lite } = reader.floors();
  if (lite !== undefined) return `a lite database, which has whole blocks from height ${String(lite)} on`;
  return bodies === 0 ? 'a full database' : `a pruned database, which has block data from height ${String(bodies)} on`;
}

function counted(count: number, thing: string): string {
  return `${String(count)} ${thing}${count === 1 ? '' : 's'}`;
}
