import type { ActionParts, OneShot, RunOneShot } from './action';
import { backupAction } from './backup';
import { dryRunAction } from './dry-run';
import { exportAction } from './dump';
import { exportCheckpointsAction } from './export-checkpoints';
import { importAction } from './import';
import { importSnapshotAction } from './snapshot';
import { repairAction } from './repair';
import { selfTestAction } from './self-test';
import { snapshotInfoAction } from './snapshot-info';
import { snapshotStatsAction } from './snapshot-stats';
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

/** Runs the action of this name. @returns the exit code @throws Error with a message for the operator */
export function runAction(action: OneShot, parts: ActionParts): Promise<number> {
  return ACTIONS[action](parts);
}
