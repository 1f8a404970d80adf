import { resolve } from 'node:path';
import { importSnapshot, type ImportPhase } from '@wrkz/chain-db';
import { loadCheckpoints } from '../chain/checkpoints';
import type { ActionParts } from './action';

/** A line of progress comes with so many records. */
const RECORDS_A_LINE = 2_000_000;

/**
 * `--import-lite-snapshot FILE`: builds the database of a lite node from a snapshot. Progress goes to the stream, a line each, for
 * programs that follow it. With `--dry-run` the file is looked at and nothing is written. Exit code 1 when it was stopped.
 */
export async function importSnapshotAction({ config, notice, stream, signal }: ActionParts): Promise<number> {
  const { network, options, directory } = config;
  const checkpoints = loadCheckpoints(options['load-checkpoints'], network);
  const known = new Map(checkpoints.entries());
  const dryRun = options['dry-run'];
  const lines = new ProgressLines((line) => stream.write(line));
  try {
    await importSnapshot({
      path: resolve(options['import-lite-snapshot'] ?? ''),
      directory,
      network: network.name,
      liteHeight: options['lite-height'],
      accepted: options['accept-snapshot-digest'],
      checkpoint: (height) => known.get(height),
      dryRun,
      // A snapshot that is refused costs nobody a chain.
      replaces: options.resync,
      signal,
      onProgress: (phase, done, total) => lines.note(phase, done, total),
      tell: notice,
    });
    if (dryRun) notice('The snapshot is whole and would be taken');
    return 0;
  } catch (error) {
    if (!signal.aborted) throw error;
    notice('Stopped before the snapshot was imported. Nothing has been written.');
    return 1;
  }
}

/** `WRKZ-IMPORT {...}`: the first of each phase, one for each two million records, and the end. */
class ProgressLines {
  private phase: ImportPhase | undefined;
  private next = 0;

  constructor(private readonly write: (line: string) => void) {}

  note(phase: ImportPhase, done: number, total: number): void {
    if (phase === this.phase && done < this.next) return;
    if (phase !== this.phase) this.next = 0;
    this.phase = phase;
    this.next += RECORDS_A_LINE;
    const percent = (total === 0 ? 0 : (100 * done) / total).toFixed(1);
    this.write(
      `WRKZ-IMPORT {"phase":"${phase}","done":${String(done)},"total":${String(total)},"percent":${percent}}\n`,
    );
  }
}
