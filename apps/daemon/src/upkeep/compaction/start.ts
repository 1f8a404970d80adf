import type { ChainReader } from '@wrkz/chain-db';
import { workerEntry } from '@wrkz/service-kit/base';
import type { Logger } from '@wrkz/service-kit';
import type { ChainUpkeep, TipFacts } from '../../chain/service';
import type { DaemonConfig } from '../../config/config';
import { freeBytes } from '../disk-space';
import { runTask } from '../task-process';
import { leastRoom, roomComplaint } from '../room';
import { Compaction, type CompactionResult } from '../compaction';
import { CompactionMarker } from './marker';
import { isDue, LookInterval } from './schedule';

export interface CompactionSources {
  readonly config: Pick<DaemonConfig, 'options' | 'network'>;
  readonly directory: string;
  readonly chain: ChainUpkeep & { tip(): TipFacts };
  /** Blocks that the peers have. */
  readonly networkHeight: () => number;
  readonly notice: (line: string) => void;
  readonly logger: Pick<Logger, 'info' | 'warning'>;
  /** Fires when the node begins to stop: a console command may wait for the compaction, and the stop for that command. */
  readonly stopping: AbortSignal;
  /** Milliseconds of a clock that never goes back, for tests. */
  readonly now?: () => number;
}

/** Compaction with what begins it by itself. */
export interface RunningCompaction {
  readonly compaction: Compaction;
  close(): Promise<void>;
}

const UNFINISHED =
  'Detected unfinished DB compaction marker from previous run. Restarting DB compaction in background.';

/** Begins the compaction of the start, unless it is not wanted, and those that come by the schedule. */
export function startCompaction(sources: CompactionSources): RunningCompaction {
  const { config, directory, chain, notice, logger } = sources;
  const { options, network } = config;
  const now = sources.now ?? (() => performance.now());
  const marker = new CompactionMarker(directory);
  const last = { at: now(), count: chain.tip().height + 1 };
  const remember = (): void => void Object.assign(last, { at: now(), count: chain.tip().height + 1 });
  const compaction = new Compaction({
    chain,
    marker,
    now,
    noRoom: () => roomComplaint(directory, leastRoom(options)),
    rewrite: (signal) => rewriteInProcess({ directory, network: network.name }, signal),
    onEnd: (result) => {
      remember();
      tell(result, logger);
    },
  });
  sources.stopping.addEventListener('abort', () => void compaction.stop(), { once: true });
  if (!options['skip-boot-compaction']) {
    if (marker.isThere) notice(UNFINISHED);
    compaction.start('boot background task');
  }
  const interval = new LookInterval();
  let timer: NodeJS.Timeout;
  const look = (): void => {
    const count = chain.tip().height + 1;
    const facts = {
      running: compaction.isRunning,
      free: freeBytes(directory),
      leastFree: options['auto-compaction-min-free-bytes'],
      gap: options['auto-compaction-min-gap-blocks'],
      count,
      lastCount: last.count,
      since: now() - last.at,
    };
    if (isDue(facts) && compaction.start('automatic periodic background task')) remember();
    arm(Math.max(0, sources.networkHeight() - count));
  };
  const arm = (behind: number): void => {
    timer = setTimeout(look, interval.next(behind));
    timer.unref();
  };
  arm(Infinity);
  const close = async (): Promise<void> => {
    clearTimeout(timer);
    await compaction.stop();
  };
  return { compaction, close };
}

async function rewriteInProcess(task: { directory: string; network: string }, signal: AbortSignal): Promise<void> {
  // The copy is made on the disk of the database: the system's folder for temporary files may be a small one in memory.
  await runTask({
    entry: workerEntry(__dirname, 'rewrite-process'),
    task,
    signal,
    env: { SQLITE_TMPDIR: task.directory },
  });
}

function tell({ failure, freedPages, interrupted }: CompactionResult, logger: CompactionSources['logger']): void {
  if (failure === undefined) logger.info('the database was compacted', { freedPages });
  else if (interrupted) logger.info(`the compaction of the database was ${failure}; the next start goes on with it`);
  else logger.warning(`the compaction of the database failed: ${failure}`);
}

/** Bytes that a forced compaction takes at most: a copy of what is in use, and as much in the log. */
export function rewriteNeeds(reader: Pick<ChainReader, 'fileSpace'>): number {
  const { pageSize, pages, emptyPages } = reader.fileSpace();
  return 2 * (pages - emptyPages) * pageSize;
}
