import type { ConsoleCommand } from '../command';

/* What belongs to the storage modes: it is listed, tells truly that nothing of it runs, and starts nothing yet. */

function later(what: string): string {
  return `${what} comes with the storage modes, in a later version.\n`;
}

export const compactDb: ConsoleCommand = {
  name: 'compact_db',
  help: 'Manage DB compaction: compact_db [start|status|wait|force] (in a later version)',
  words: ['start', 'status', 'wait', 'force'],
  run: (_context, [action = 'start']) => {
    if (action === 'status') return `DB compaction status: idle\n${later('DB compaction')}`;
    if (action === 'wait') return `No DB compaction is running.\n${later('DB compaction')}`;
    if (action === 'start' || action === 'force') return later('DB compaction');
    return 'Usage: compact_db [start|status|wait|force]\n';
  },
};
