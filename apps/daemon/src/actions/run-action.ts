import type { ActionParts, OneShot, RunOneShot } from './action';
import { backupAction } from './backup';
import { dryRunAction } from './dry-run';
import { exportAction } from './export';
import { exportCheckpointsAction } from './export-checkpoints';
import { importAction } from './import';
import { selfTestAction } from './self-test';
import { verifyAction } from './verify';

const ACTIONS: Record<OneShot, RunOneShot> = {
  backup: backupAction,
  'dry-run': dryRunAction,
  import: importAction,
  export: exportAction,
  'export-checkpoints': exportCheckpointsAction,
  'self-test': selfTestAction,
  verify: verifyAction,
};

/** Runs the action of this name. @returns the exit code @throws Error with a message for the operator */
export function runAction(action: OneShot, parts: ActionParts): Promise<number> {
  return ACTIONS[action](parts);
}
