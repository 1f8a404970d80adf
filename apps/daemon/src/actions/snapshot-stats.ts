import { statSync } from 'node:fs';
import { databaseFile, openChainDb } from '@wrkz/chain-db';
import type { ActionParts } from './action';

const MEGABYTE = 1024 * 1024;

const megabytes = (bytes: number): string => (bytes / MEGABYTE).toFixed(2);

/** `--snapshot-stats`: records and bytes of each table, how large the file is, and how much of it is records. */
export function snapshotStatsAction({ config, stream }: Pick<ActionParts, 'config' | 'stream'>): Promise<number> {
  const { network, directory } = config;
  const db = openChainDb({ directory, network: network.name, readonly: true });
  try {
    const tables = db.reader.space();
    const rows = tables.map(({ name, rows: records, payload }) => [name, String(records), megabytes(payload)] as const);
    const sum = (of: (table: (typeof tables)[number]) => number): number =>
      tables.reduce((total, table) => total + of(table), 0);
    const payload = sum((table) => table.payload);
    const { size } = statSync(databaseFile(directory));
    const total = ['total', String(sum((table) => table.rows)), megabytes(payload)] as const;
    const lines = [['table', 'records', 'MB'] as const, ...rows, total];
    const width = (column: 0 | 1 | 2): number => Math.max(...lines.map((line) => line[column].length));
    for (const [name, records, mb] of lines) {
      stream.write(`${name.padEnd(width(0))}  ${records.padStart(width(1))}  ${mb.padStart(width(2))}\n`);
    }
    stream.write(`size on disk  ${megabytes(size)} MB\n`);
    stream.write(`ratio         ${(size / Math.max(1, payload)).toFixed(2)} bytes on disk for a byte of records\n`);
    return Promise.resolve(0);
  } finally {
    db.close();
  }
}
