import { SnapshotExportRefused, type ExportResult, NoHeight, type RunningExport } from '../../snapshot/exporter';
import type { ConsoleCommand } from '../command';

const USAGE = 'Usage: snapshot_export [start [height] [path] | status | cancel]\n';

/** Snapshots of a lite node's region, made in the background (docs/operations/snapshots.md). */
export const snapshotExport: ConsoleCommand = {
  name: 'snapshot_export',
  help: 'Export a lite node snapshot: snapshot_export [start [height] [path] | status | cancel]',
  words: ['start', 'status', 'cancel'],
  run: async ({ snapshots }, [action = 'start', ...words]) => {
    if (action === 'status') return statusText(snapshots.running, snapshots.result);
    if (action === 'cancel') {
      return snapshots.cancel()
        ? 'Cancelling the snapshot export. The partial file will be removed.\n'
        : 'No snapshot export is running.\n';
    }
    const asked = action === 'start' ? startWords(words) : undefined;
    if (asked === undefined) return USAGE;
    try {
      const { liteHeight, path } = await snapshots.start(asked.height, asked.path);
      return (
        `Exporting a lite node snapshot at height ${String(liteHeight)} to ${path}\n` +
        'This walks the whole database and takes tens of minutes. Follow it with `snapshot_export status`.\n'
      );
    } catch (error) {
      if (error instanceof NoHeight) return `${error.message}\n${USAGE}`;
      if (error instanceof SnapshotExportRefused) return `${error.message}\n`;
      throw error;
    }
  },
};

/** A number is the height while none was given, anything else the path; undefined for what is neither. */
function startWords(words: readonly string[]): { height?: number; path?: string } | undefined {
  const asked: { height?: number; path?: string } = {};
  for (const word of words) {
    if (/^[1-9]\d{0,9}$/.test(word) && asked.height === undefined) asked.height = Number(word);
    else if (asked.path === undefined) asked.path = word;
    else return undefined;
  }
  return asked;
}

function statusText(running: RunningExport | undefined, result: ExportResult | undefined): string {
  if (running !== undefined) {
    const { elapsed, path, progress } = running;
    const seconds = Math.floor(elapsed / 1000);
    return (
      `Snapshot export: running (${String(seconds)}s elapsed)\nWriting: ${path}\n` +
      `Table: ${progress?.table ?? 'block info'}\n` +
      `Records: ${String(progress?.kept ?? 0)} kept of ${String(progress?.scanned ?? 0)} scanned\n`
    );
  }
  if (result === undefined) return 'Snapshot export: idle\n';
  if ('failed' in result) return `Snapshot export: idle\nLast result: failed - ${result.failed}\n`;
  return (
    `Snapshot export: idle\nLast result: wrote ${result.path}\nLite height: ${String(result.liteHeight)}\n` +
    `Records: ${String(result.records)}\nDigest: ${result.digest}\n`
  );
}
