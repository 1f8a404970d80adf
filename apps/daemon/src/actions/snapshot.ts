import { statSync } from 'node:fs';
import { resolve } from 'node:path';
import {
  databaseFile,
  importSnapshot,
  type ImportPhase,
  isAcceptedSnapshot,
  readSnapshotHeader,
  SNAPSHOT_VERSION,
  type SnapshotHeader,
  totalRecords,
} from '@wrkz/chain-db';
import { errorText, stringifyJson } from '@wrkz/service-kit';
import { loadCheckpoints } from '../chain/checkpoints';
import { type ActionDependencies, withReader } from './action';

/** Records between two progress lines of a phase. */
const RECORDS_PER_LINE = 2_000_000;
const MIB = 1024 * 1024;

/**
 * `--import-lite-snapshot FILE`: builds the database of a lite node from a snapshot. Progress lines `WRKZ-IMPORT {...}` go to the
 * output for programs. With `--dry-run` the file is checked and nothing is written. Exit code 1 if it was stopped.
 */
export async function importSnapshotAction({ config, notice, screen, signal }: ActionDependencies): Promise<number> {
  const { network, options, directory } = config;
  const checkpoints = new Map(loadCheckpoints(options['load-checkpoints'], network).entries());
  const dryRun = options['dry-run'];
  try {
    await importSnapshot({
      path: resolve(options['import-lite-snapshot'] ?? ''),
      directory,
      network: network.name,
      liteHeight: options['lite-height'],
      accepted: options['accept-snapshot-digest'],
      checkpoint: (height) => checkpoints.get(height),
      dryRun,
      // Deletes the old chain only after the new database is complete.
      replaces: options.resync,
      signal,
      onProgress: progressLines((line) => screen.write(line)),
      report: notice,
    });
    if (dryRun) notice('The snapshot is complete and would be imported');
    return 0;
  } catch (error) {
    if (!signal.aborted) throw error;
    notice('Stopped before the snapshot was imported. Nothing has been written.');
    return 1;
  }
}

/** Writes the first progress report of each phase, then one per two million records. */
function progressLines(write: (line: string) => void): (phase: ImportPhase, done: number, total: number) => void {
  let current: ImportPhase | undefined;
  let next = 0;
  return (phase, done, total) => {
    if (phase !== current) next = 0;
    else if (done < next) return;
    current = phase;
    next += RECORDS_PER_LINE;
    const percent = (total === 0 ? 0 : (100 * done) / total).toFixed(1);
    write(`WRKZ-IMPORT {"phase":"${phase}","done":${String(done)},"total":${String(total)},"percent":${percent}}\n`);
  };
}

type OutputDependencies = Pick<ActionDependencies, 'config' | 'screen'>;

/** `--snapshot-info FILE`: prints the header of a snapshot as one line of JSON, or `{"error"}` with exit code 1. */
export function snapshotInfoAction({ config, screen }: OutputDependencies): Promise<number> {
  const { options } = config;
  try {
    const header = readSnapshotHeader(options['snapshot-info'] ?? '');
    screen.write(`${stringifyJson(headerFields(header, options['accept-snapshot-digest']))}\n`);
    return Promise.resolve(0);
  } catch (error) {
    screen.write(`${stringifyJson({ error: errorText(error) })}\n`);
    return Promise.resolve(1);
  }
}

function headerFields(header: SnapshotHeader, accepted: readonly string[]): Record<string, unknown> {
  return {
    formatVersion: SNAPSHOT_VERSION,
    liteHeight: header.liteHeight,
    records: totalRecords(header),
    blockInfoRecords: header.blockRecords,
    keyImageRecords: header.keyImageRecords,
    keyOutputRecords: header.keyOutputRecords,
    transactionsCount: header.transactions,
    genesisHash: header.genesisHash.toString('hex'),
    digest: header.digest.toString('hex'),
    accepted: isAcceptedSnapshot(header, accepted),
  };
}

/** `--snapshot-stats`: prints records and bytes of each table, the size of the file, and the ratio of both. */
export async function snapshotStatsAction({ config, screen }: OutputDependencies): Promise<number> {
  const tables = await withReader(config, (reader) => reader.space());
  const sum = (field: 'rows' | 'payload'): number => tables.reduce((total, table) => total + table[field], 0);
  const megabytes = (bytes: number): string => (bytes / MIB).toFixed(2);
  const lines = [
    ['table', 'records', 'MB'],
    ...tables.map(({ name, rows, payload }) => [name, String(rows), megabytes(payload)]),
    ['total', String(sum('rows')), megabytes(sum('payload'))],
  ] as [string, string, string][];
  const width = (column: 0 | 1 | 2): number => Math.max(...lines.map((line) => line[column].length));
  for (const [name, records, mb] of lines) {
    screen.write(`${name.padEnd(width(0))}  ${records.padStart(width(1))}  ${mb.padStart(width(2))}\n`);
  }
  const { size } = statSync(databaseFile(config.directory));
  screen.write(`size on disk  ${megabytes(size)} MB\n`);
  const ratio = (size / Math.max(1, sum('payload'))).toFixed(2);
  screen.write(`ratio         ${ratio} bytes on disk for a byte of records\n`);
  return 0;
}
