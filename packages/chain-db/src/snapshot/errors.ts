import { ChainDbError } from '../errors';

/** A snapshot that is not taken, or cannot be made. Nothing of the database was touched. The message is for an operator. */
export class SnapshotRefused extends ChainDbError {
  constructor(message: string, options?: ErrorOptions) {
    super('SNAPSHOT_REFUSED', message, options);
  }
}

/** The second reading met what the first did not. */
export function changedMeanwhile(): SnapshotRefused {
  return new SnapshotRefused('The snapshot changed while it was read. Nothing has been written.');
}
