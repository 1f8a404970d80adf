import type { ConsoleCommand } from '../command';

/* What belongs to the storage modes: it is listed, tells truly that nothing of it runs, and starts nothing yet. */

function later(what: string): string {
  return `${what} comes with the storage modes, in a later version.\n`;
}

export const snapshotExport: ConsoleCommand = {
  name: 'snapshot_export',
  help: 'Export a lite node snapshot: snapshot_export [start [height] [path] | status | cancel] (in a later version)',
  words: ['start', 'status', 'cancel'],
  run: (_context, [action = 'start']) => {
    if (action === 'status') return `Snapshot export: idle\n${later('The export of snapshots')}`;
    if (action === 'cancel') return `No snapshot export is running.\n${later('The export of snapshots')}`;
    if (action === 'start') return later('The export of snapshots');
    return 'Usage: snapshot_export [start [height] [path] | status | cancel]\n';
  },
};
