import { ChainDbError } from '../errors';

/** A snapshot that is not taken, or cannot be made. Nothing of the database was touched. The message is for an operator. */
export class SnapshotRefused extends ChainDbError {
  constructor(message: string, options?: ErrorOptions) {
    super('SNAPSHOT_REFUSED', message, options);
  }
}
