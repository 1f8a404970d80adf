import type { ActionParts, OneShot, RunOneShot } from './action';
import { exportAction } from './export';
import { exportCheckpointsAction } from './export-checkpoints';
import { importAction } from './import';
import { repairAction } from './repair';
import { selfTestAction } from './self-test';
import { verifyAction } from './verify';

const ACTIONS: Record<OneShot, RunOneShot> = {
  import: importAction,
  export: exportAction,
  'export-checkpoints': exportCheckpointsAction,
  'self-test': selfTestAction,
  verify: verifyAction,
  repair: repairAction,
};

/** Runs the action of this name. @returns the exit code @throws Error with a message for the operator */
export function runAction(action: OneShot, parts: ActionParts): Promise<number> {
  return ACTIONS[action](parts);
}
