import { failureText } from '@wrkz/sqlite';

/** Base class of the errors of this package, one class for each reason. Errors of the files are those of packages/sqlite. */
export class ChainDbError extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = new.target.name;
  }
}

export class WrongNetwork extends ChainDbError {
  constructor(directory: string, found: string, wanted: string) {
    super(`the chain database in ${directory} belongs to ${found}, not to ${wanted}`);
  }
}

/** The database was replaced or is missing, and is being reopened. */
export class DatabaseAway extends ChainDbError {
  constructor(directory: string) {
    super(`the chain database in ${directory} cannot be read at this moment`);
  }
}

/** A required row is missing, or stored data is contradictory. */
export class CorruptDatabase extends ChainDbError {
  /** What an operator can do. */
  readonly remedy: string =
    'run with --verify to list all damage, and with --repair to repair it with blocks from peers';

  constructor(
    readonly reason: string,
    options?: ErrorOptions,
  ) {
    super(`the chain database is damaged: ${reason}`, options);
  }
}

/** A required row is missing. `row` is its key. */
export class MissingRow extends CorruptDatabase {
  constructor(table: string, row: string | number) {
    super(`row ${row} of ${table} is missing`);
  }
}

/** A pruned or lite database cannot be repaired from its own blocks: some of them are not stored. */
export class NeedsWholeChain extends ChainDbError {
  constructor(mode: 'pruned' | 'lite') {
    super(
      `a ${mode} database does not store all blocks, so its tables cannot be computed from them. Put a backup in its place, ` +
        'import a snapshot (--import-snapshot with --resync), or run with --resync to synchronise again',
    );
  }
}

/** The tip was requested, and the database has no blocks. */
export class EmptyDatabase extends ChainDbError {
  constructor() {
    super('the chain database has no blocks');
  }
}

/** The data of block `height` is not stored: a node of this mode stores it from `floor` on. */
export class BelowFloor extends ChainDbError {
  constructor(
    readonly height: number,
    readonly floor: number,
    readonly mode: 'pruned' | 'lite' = 'pruned',
  ) {
    const data = mode === 'lite' ? 'transaction' : 'block';
    super(`This node is a ${mode} node and stores no ${data} data below height ${floor}`);
  }
}

/** The result of a read; undefined for data that this node does not store. */
export function ifStored<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch (error) {
    if (error instanceof BelowFloor) return undefined;
    throw error;
  }
}

/** The change contradicts the stored chain. Nothing was changed. */
export class RefusedChange extends ChainDbError {}

/** The block does not follow a stored block. Nothing was changed. */
export class WrongLink extends RefusedChange {}

/** A block spends a key image that block `spentAt` has spent. Nothing was changed. */
export class KeyImageSpent extends RefusedChange {
  constructor(
    readonly image: Buffer,
    /** Height of the block that spends it again. */
    readonly height: number,
    readonly spentAt: number,
  ) {
    const name = image.toString('hex');
    super(`block ${height} spends the key image ${name}, which block ${spentAt} spent`);
  }
}

/** The disk is full or failing. The change was rolled back and the writer is closed: open the database again. */
export class WriterFailed extends ChainDbError {
  constructor(cause: unknown) {
    super(`the chain database can no longer be written: ${failureText(cause)}`, { cause });
  }
}

/** A snapshot cannot be imported or made. The database was not changed. The message is for the operator. */
export class SnapshotRefused extends ChainDbError {}

/** A lite height was given for a database that is not a lite one. The database was not changed. */
export class NotALiteDatabase extends ChainDbError {
  constructor() {
    super(
      '--lite can only be chosen for a new database. This one already holds a chain that was synced in full, and nothing ' +
        'here will delete it for you. Point --data-dir at an empty directory, or remove this one yourself, to build a lite ' +
        'node.',
    );
  }
}

/** A lite database was opened for writing without its lite height. The database was not changed. */
export class LiteDatabase extends ChainDbError {
  constructor(liteHeight: number) {
    super(
      `This database was built as a lite node from height ${liteHeight}, so it does not hold the block data a full node ` +
        `serves. Restart with --lite --lite-height ${liteHeight}, or delete the data directory to sync a full node from scratch.`,
    );
  }
}

/** A lite database was created with another lite height. The database was not changed. */
export class LiteHeightDiffers extends ChainDbError {
  constructor(liteHeight: number, requested: number) {
    super(
      `This database was built as a lite node from height ${liteHeight}, not ${requested}. The stored height cannot be changed ` +
        `- blocks below it were never written. Restart with --lite-height ${liteHeight}, or delete the data directory to ` +
        'rebuild at a different height.',
    );
  }
}

/** The mark of a lite database is damaged or missing. The database was not changed. */
export class UnreadableLiteMark extends ChainDbError {
  constructor() {
    super(
      'The lite-node marker in this database is unreadable. Refusing to start rather than guess how it was built. Remove ' +
        'the data directory to rebuild.',
    );
  }
}
