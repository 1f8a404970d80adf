import { daemonApi } from '@wrkz/api';
import { BelowFloor } from '@wrkz/chain-db';
import { refuse } from './errors';

type BelowFloorRow = typeof daemonApi.refusals.belowFloor | typeof daemonApi.rpcErrors.blockBelowFloor;

/** The refusal of what this node does not keep. */
export function refuseBelowFloor(row: BelowFloorRow, { mode, floor }: Pick<BelowFloor, 'mode' | 'floor'>): Error {
  const data = mode === 'lite' ? 'transaction' : 'block';
  return refuse(row, { mode, data, height: String(floor) });
}

/** Runs `read`; that what it wants is not kept becomes the refusal of this row. */
export function orRefuseBelowFloor<T>(row: BelowFloorRow, read: () => T): T {
  try {
    return read();
  } catch (error) {
    throw error instanceof BelowFloor ? refuseBelowFloor(row, error) : error;
  }
}
