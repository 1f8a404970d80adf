import { SnapshotExportRefused, type ExportResult, HeightRequired, type RunningExport } from '../../snapshot/exporter';
import type { ConsoleCommand } from '../command';

const USAGE = 'Usage: snapshot_export [start [height] [path] | status | cancel]\n';

/** Exports lite node snapshots in the background (docs/operations/snapshots.md). */
export const snapshotExport: ConsoleCommand = {
  name: 'snapshot_export',
  help: 'Export a lite node snapshot: snapshot_export [start [height] [path] | status | cancel]',
  words: ['start', 'status', 'cancel'],
  run: ({ snapshots }, [action = 'start', ...words]) => {
    if (action === 'status') return statusText(snapshots.running, snapshots.result);
    if (action === 'cancel') {
      return snapshots.cancel()
        ? 'Cancelling the snapshot export. The partial file will be removed.\n'
        : 'No snapshot export is running.\n';
    }
    const request = action === 'start' ? startWords(words) : undefined;
    if (request === undefined) return USAGE;
    try {
      const { liteHeight, path } = snapshots.start(request.height, request.path);
      return (
        `Exporting a lite node snapshot at height ${String(liteHeight)} to ${path}\n` +
        'This walks the whole database and takes tens of minutes. Follow it with `snapshot_export status`.\n'
      );
    } catch (error) {
      if (error instanceof HeightRequired) return `${error.message}\n${USAGE}`;
      if (error instanceof SnapshotExportRefused) return `${error.message}\n`;
      throw error;
    }
  },
};

/** The first number is the height, any other word the path; undefined for further words. */
function startWords(words: readonly string[]): { height?: number; path?: string } | undefined {
  const request: { height?: number; path?: string } = {};
  for (const word of words) {
    if (/^[1-9]\d{0,9}$/.test(word) && request.height === undefined) request.height = Number(word);
    else if (request.path === undefined) request.path = word;
    else return undefined;
  }
  return request;
}

function statusText(running: RunningExport | undefined, result: ExportResult | undefined): string {
  if (running !== undefined) {
    const { elapsed, path, progress } = running;
    const seconds = Math.floor(elapsed / 1000);
    return (
      `Snapshot export: running (${String(seconds)}s elapsed)\nWriting: ${path}\n` +
      `Table: ${progress?.table ?? 'block info'}\n` +
      `Records: ${String(progress?.written ?? 0)} kept of ${String(progress?.scanned ?? 0)} scanned\n`
    );
  }
  if (result === undefined) return 'Snapshot export: idle\n';
  if ('failed' in result) return `Snapshot export: idle\nLast result: failed - ${result.failed}\n`;
  return (
    `Snapshot export: idle\nLast result: wrote ${result.path}\nLite height: ${String(result.liteHeight)}\n` +
    `Records: ${String(result.records)}\nDigest: ${result.digest}\n`
  );
}
