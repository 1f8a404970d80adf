import { selfTest } from '@wrkz/crypto';
import type { ActionParts, OneShot, RunOneShot } from './action';
import { backupAction } from './backup';
import { exportCheckpointsAction } from './checkpoints';
import { dryRunAction } from './dry-run';
import { exportAction, importAction } from './dump';
import { repairAction } from './repair';
import { importSnapshotAction, snapshotInfoAction, snapshotStatsAction } from './snapshot';
import { verifyAction } from './verify';

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
export function runAction(action: OneShot, parts: ActionParts): Promise<number> {
  return ACTIONS[action](parts);
}

/** `--self-test`: compares every native code path of this machine with known results. Exit code 1 if one differs. */
export async function selfTestAction({ stream, signal }: Pick<ActionParts, 'stream' | 'signal'>): Promise<number> {
  const aborted = new Promise<undefined>((resolve) => {
    if (signal.aborted) resolve(undefined);
    signal.addEventListener('abort', () => resolve(undefined), { once: true });
  });
  const results = await Promise.race([selfTest(), aborted]);
  if (results === undefined) {
    stream.write('Stopped before everything was computed\n');
    return 1;
  }
  for (const { path, checks, failures } of results) {
    stream.write(`${path}: ${failures.length === 0 ? `${String(checks)} results as known` : failures.join('; ')}\n`);
  }
  const failed = results.filter(({ failures }) => failures.length > 0);
  stream.write(failed.length === 0 ? 'self-test passed\n' : `self-test FAILED on ${String(failed.length)} paths\n`);
  return failed.length === 0 ? 0 : 1;
}
