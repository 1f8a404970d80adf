import { freeBytes } from '../../upkeep/disk-space';
import type { Compaction } from '../../upkeep/compaction';
import { rewriteNeeds } from '../../upkeep/compaction/start';
import type { ConsoleCommand, ConsoleContext } from '../command';
import { sizeText } from '../text/format';

const HINT = 'Use `compact_db status` or `compact_db wait`.\n';

export const compactDb: ConsoleCommand = {
  name: 'compact_db',
  help: 'Manage DB compaction: compact_db [start|status|wait|force]',
  words: ['start', 'status', 'wait', 'force'],
  run: (context, [action = 'start']) => {
    const { compaction } = context;
    if (action === 'status') return statusText(compaction);
    if (action === 'wait') return waited(compaction);
    if (action === 'start') return started(compaction, false);
    if (action === 'force') return forced(context);
    return "Usage: compact_db [start|status|wait|force] (force rewrites everything, needs free space of twice the database's size)\n";
  },
};

function started(compaction: Compaction, force: boolean): string {
  return compaction.start('manual console request', force)
    ? `DB compaction started in background. ${HINT}`
    : `DB compaction is already running. ${HINT}`;
}

function forced({ compaction, directory, rpc }: ConsoleContext): string {
  if (compaction.isRunning) return started(compaction, true);
  const [needs, free] = [rewriteNeeds(rpc.reader), freeBytes(directory)];
  const needed = `A forced compaction rewrites the whole database and takes up to ${sizeText(needs)} on the disk`;
  if (free < needs) return `${needed}; only ${sizeText(free)} are free. Nothing was started.\n`;
  return `${needed}; until it is done the node takes no blocks.\n${started(compaction, true)}`;
}

function statusText(compaction: Compaction): string {
  const { running, marker, last } = compaction.status();
  if (running !== undefined) {
    const { cause, forced: isForced, seconds } = running;
    return `DB compaction status: running (${seconds}s elapsed)\nStarted by: ${cause}${isForced ? ' (force)' : ''}\n`;
  }
  const left = 'Persistent compaction marker present (previous run may have terminated mid-compaction).\n';
  const result = last?.failure === undefined ? 'completed successfully' : `failed - ${last.failure}`;
  return `DB compaction status: idle\n${marker ? left : ''}${last === undefined ? '' : `Last result: ${result}\n`}`;
}

async function waited(compaction: Compaction): Promise<string> {
  if (!compaction.isRunning) return 'No DB compaction is running.\n';
  await compaction.wait();
  return 'Waiting for DB compaction to complete...\nDB compaction completed.\n';
}
