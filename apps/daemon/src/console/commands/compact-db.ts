import type { Compaction } from '../../upkeep/compaction';
import type { ConsoleCommand } from '../command';

const HINT = 'Use `compact_db status` or `compact_db wait`.\n';

export const compactDb: ConsoleCommand = {
  name: 'compact_db',
  help: 'Manage DB compaction: compact_db [start|status|wait|force]',
  words: ['start', 'status', 'wait', 'force'],
  run: ({ compaction }, [action = 'start']) => {
    if (action === 'status') return statusText(compaction);
    if (action === 'wait') return wait(compaction);
    if (action === 'start' || action === 'force') return start(compaction, action === 'force');
    return 'Usage: compact_db [start|status|wait|force] (force is accepted and does the same as start)\n';
  },
};

function start(compaction: Compaction, forced: boolean): string {
  return compaction.start('manual console request', forced)
    ? `DB compaction started in background. ${HINT}`
    : `DB compaction is already running. ${HINT}`;
}

function statusText({ running, counts, failure }: Compaction): string {
  if (running !== undefined) {
    const { run, seconds } = running;
    return (
      `DB compaction status: running (${seconds}s elapsed)\nStarted by: ${run.cause}${run.forced ? ' (force)' : ''}\n` +
      `Free pages returned: ${run.freedPages}\n`
    );
  }
  const result = failure === undefined ? 'completed successfully' : `failed - ${failure}`;
  const hasEnded = counts.completed + counts.failed > 0;
  return `DB compaction status: idle\n${hasEnded ? `Last result: ${result}\n` : ''}`;
}

async function wait(compaction: Compaction): Promise<string> {
  if (!compaction.isRunning) return 'No DB compaction is running.\n';
  await compaction.wait();
  return 'Waiting for DB compaction to complete...\nDB compaction completed.\n';
}
