import { type ChainReader, readSnapshotHeader, removablePaths, totalRecords } from '@wrkz/chain-db';
import { selfTest } from '@wrkz/crypto';
import { errorText, yieldToEventLoop } from '@wrkz/service-kit';
import { type ActionDependencies, assertRewind, type OneShot, type RunOneShot, withReader } from './action';
import { backupAction } from './backup';
import { exportCheckpointsAction } from './checkpoints';
import { exportAction, importAction } from './dump';
import { counted, repairAction, verifyAction } from './repair';
import { importSnapshotAction, snapshotInfoAction, snapshotStatsAction } from './snapshot';

const ACTIONS: Record<OneShot, RunOneShot> = {
  backup: backupAction,
  'dry-run': dryRunAction,
  import: importAction,
  export: exportAction,
  'export-checkpoints': exportCheckpointsAction,
  'self-test': selfTestAction,
  'import-snapshot': importSnapshotAction,
  'snapshot-info': snapshotInfoAction,
  'snapshot-stats': snapshotStatsAction,
  verify: verifyAction,
  repair: repairAction,
};

/** @returns the exit code @throws Error with a message for the operator */
export function runAction(action: OneShot, dependencies: ActionDependencies): Promise<number> {
  return ACTIONS[action](dependencies);
}

/** `--self-test`: compares every native code path of this machine with known results. Exit code 1 if one differs. */
export async function selfTestAction({
  screen,
  signal,
}: Pick<ActionDependencies, 'screen' | 'signal'>): Promise<number> {
  const aborted = new Promise<undefined>((resolve) => {
    if (signal.aborted) resolve(undefined);
    signal.addEventListener('abort', () => resolve(undefined), { once: true });
  });
  const results = await Promise.race([selfTest(), aborted]);
  if (results === undefined) {
    screen.write('Stopped before everything was computed\n');
    return 1;
  }
  for (const { path, checks, failures } of results) {
    screen.write(`${path}: ${failures.length === 0 ? `${String(checks)} results as known` : failures.join('; ')}\n`);
  }
  const failed = results.filter(({ failures }) => failures.length > 0);
  screen.write(failed.length === 0 ? 'self-test passed\n' : `self-test FAILED on ${String(failed.length)} paths\n`);
  return failed.length === 0 ? 0 : 1;
}

/** Blocks between two yields to the event loop. */
const BLOCKS_PER_SLICE = 2_000;

/**
 * `--dry-run`: reports what the other options of this start would delete, in blocks, files and bytes, and changes nothing. Exit
 * code 1 if the actual start would be refused.
 */
async function dryRunAction(dependencies: ActionDependencies): Promise<number> {
  const { options, storage } = dependencies.config;
  if (options.resync) await reportResync(dependencies);
  else if (options['rewind-to-height'] !== undefined)
    await withReader(dependencies.config, (reader) => reportRewind(reader, dependencies));
  if (storage.kind === 'pruned' && !options.resync)
    await withReader(dependencies.config, (reader) => reportPrune(reader, dependencies));
  if (options['import-lite-snapshot'] !== undefined) {
    reportSnapshot(dependencies, options['import-lite-snapshot']);
    const code = await importSnapshotAction(dependencies);
    if (code !== 0) return code;
  }
  if (dependencies.signal.aborted) {
    dependencies.notice('Stopped before everything was checked');
    return 1;
  }
  dependencies.notice('Nothing was changed: --dry-run');
  return 0;
}

async function reportResync({ config, notice }: ActionDependencies): Promise<void> {
  const { directory } = config;
  const paths = removablePaths(directory);
  if (paths.length === 0) return notice(`No chain in ${directory} yet`);
  let blocks = 'of blocks that cannot be read';
  try {
    blocks = `of ${counted((await withReader(config, (reader) => reader.height())) + 1, 'block')}`;
  } catch (error) {
    // A resync also deletes a damaged database; it only refuses the chain of another network.
    if (error instanceof Error && error.name === 'WrongNetwork') throw error;
    notice(errorText(error));
  }
  const files = paths.reduce((sum, one) => sum + one.files, 0);
  const bytes = paths.reduce((sum, one) => sum + one.bytes, 0);
  notice(`--resync would delete the chain ${blocks}, ${counted(files, 'file')} of ${String(bytes)} bytes:`);
  for (const one of paths) notice(`  ${one.path} (${String(one.bytes)} bytes)`);
  notice('It would drop the peer lists; bans would stay');
}

function reportRewind(reader: ChainReader, { config, notice }: ActionDependencies): void {
  const wanted = config.options['rewind-to-height'] ?? 0;
  const { height, generatedTransactions } = reader.tip();
  const count = height + 1;
  assertRewind(wanted, count, config.network.rewindLimit);
  if (wanted >= count) return notice(`Nothing to rewind: the chain has ${String(count)} blocks`);
  // Throws BelowFloor if the body is not stored, as the rewind itself would.
  reader.rawBlock(wanted);
  const facts = reader.factsRange(wanted, count);
  const bytes = facts.reduce((sum, { size }) => sum + Number(size), 0);
  const transactions = generatedTransactions - (reader.facts(wanted - 1)?.generatedTransactions ?? 0);
  notice(
    `--rewind-to-height ${String(wanted)} would remove ${counted(facts.length, 'block')} (${String(wanted)} to ` +
      `${String(height)}) with ${counted(transactions, 'transaction')}, ${String(bytes)} bytes of blocks; ` +
      `${counted(wanted, 'block')} would remain`,
  );
}

async function reportPrune(reader: ChainReader, { config, notice, signal }: ActionDependencies): Promise<void> {
  const floor = Math.max(1, reader.floors().bodies);
  const target = reader.height() + 1 - config.pruneDepth;
  if (target <= floor)
    return notice(`--prune would delete nothing: the last ${String(config.pruneDepth)} blocks are retained`);
  let bytes = 0;
  for (let from = floor; from < target && !signal.aborted; from += BLOCKS_PER_SLICE) {
    bytes += reader.prunableBytes(from, Math.min(target, from + BLOCKS_PER_SLICE));
    await yieldToEventLoop();
  }
  notice(
    `--prune would delete the bodies and signatures of ${counted(target - floor, 'block')} (${String(floor)} to ` +
      `${String(target - 1)}), ${String(bytes)} bytes; the last ${String(config.pruneDepth)} blocks and genesis are retained`,
  );
}

function reportSnapshot({ config, notice }: ActionDependencies, path: string): void {
  const header = readSnapshotHeader(path);
  const existing = config.options.resync ? [] : removablePaths(config.directory);
  notice(
    `--import-lite-snapshot ${path} would write ${String(totalRecords(header))} records of the blocks ` +
      `below height ${String(header.liteHeight)} to ${config.directory}`,
  );
  if (existing.length > 0) notice('A database exists already; an import deletes none');
}
