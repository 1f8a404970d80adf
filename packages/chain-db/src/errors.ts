import { failureText, type WrongSchemaVersion } from '@wrkz/sqlite';

/** Errors of this package, one class for each reason. `code` is stable and is logged. */
export type ChainDbErrorCode =
  | 'DATABASE_LOCKED'
  | 'DATABASE_MISSING'
  | 'DATABASE_UNWRITABLE'
  | 'NOT_A_CHAIN_DATABASE'
  | 'WRONG_NETWORK'
  | 'WRONG_SCHEMA'
  | 'CORRUPT_DATABASE'
  | 'INCOMPLETE_DATABASE'
  | 'DATABASE_VANISHED'
  | 'DATABASE_AWAY'
  | 'MISSING_ROW'
  | 'NEEDS_WHOLE_CHAIN'
  | 'EMPTY_DATABASE'
  | 'BELOW_FLOOR'
  | 'REFUSED_CHANGE'
  | 'WRONG_LINK'
  | 'KEY_IMAGE_SPENT'
  | 'WRITER_FAILED'
  | 'NOT_A_LITE_DATABASE'
  | 'LITE_DATABASE'
  | 'LITE_HEIGHT_DIFFERS'
  | 'UNREADABLE_LITE_MARK'
  | 'SNAPSHOT_REFUSED';

export class ChainDbError extends Error {
  constructor(
    readonly code: ChainDbErrorCode,
    message: string,
    options?: ErrorOptions,
  ) {
    super(message, options);
    this.name = new.target.name;
  }
}

/** Another process, or another writer of this process, has locked the directory. */
export class DatabaseLocked extends ChainDbError {
  constructor(readonly directory: string) {
    super('DATABASE_LOCKED', `the chain database in ${directory} is in use by another running program`);
  }
}

/** There is no database, and `create` was not set. */
export class DatabaseMissing extends ChainDbError {
  constructor(readonly directory: string) {
    super('DATABASE_MISSING', `there is no chain database in ${directory}`);
  }
}

/** The directory or a file in it cannot be created or written. */
export class DatabaseUnwritable extends ChainDbError {
  constructor(
    readonly directory: string,
    cause: unknown,
  ) {
    super('DATABASE_UNWRITABLE', `cannot write to the chain database in ${directory}: ${failureText(cause)}`, {
      cause,
    });
  }
}

/** The file exists but is not a readable chain database. */
export class NotAChainDatabase extends ChainDbError {
  constructor(
    readonly file: string,
    reason: string,
    options?: ErrorOptions,
  ) {
    super('NOT_A_CHAIN_DATABASE', `${file} is not a chain database: ${reason}`, options);
  }
}

export class WrongNetwork extends ChainDbError {
  constructor(
    readonly directory: string,
    readonly found: string,
    readonly wanted: string,
  ) {
    super('WRONG_NETWORK', `the chain database in ${directory} belongs to ${found}, not to ${wanted}`);
  }
}

/** The schema has version `found`, and this program reads version `wanted`. */
export class WrongSchema extends ChainDbError {
  readonly found: number;
  readonly wanted: number;

  constructor(cause: WrongSchemaVersion) {
    super('WRONG_SCHEMA', cause.message, { cause });
    this.found = cause.found;
    this.wanted = cause.wanted;
  }
}

/** A file is missing, truncated, or belongs to another database. No file was changed; the message contains the remedy. */
export class IncompleteDatabase extends ChainDbError {
  constructor(cause: Error) {
    super('INCOMPLETE_DATABASE', cause.message, { cause });
  }
}

/** The files of the open database were removed, moved or replaced, or can no longer be written. */
export class DatabaseVanished extends ChainDbError {
  constructor(cause: Error) {
    super('DATABASE_VANISHED', cause.message, { cause });
  }
}

/** The database was replaced or is missing, and is being reopened. */
export class DatabaseAway extends ChainDbError {
  constructor(directory: string) {
    super('DATABASE_AWAY', `the chain database in ${directory} cannot be read at this moment`);
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
    code: ChainDbErrorCode = 'CORRUPT_DATABASE',
  ) {
    super(code, `the chain database is damaged: ${reason}`, options);
  }
}

/** A required row is missing. `row` is its key. */
export class MissingRow extends CorruptDatabase {
  constructor(
    readonly table: string,
    readonly row: string | number,
  ) {
    super(`row ${row} of ${table} is missing`, undefined, 'MISSING_ROW');
  }
}

/** A pruned or lite database cannot be repaired from its own blocks: some of them are not stored. */
export class NeedsWholeChain extends ChainDbError {
  constructor(readonly mode: 'pruned' | 'lite') {
    super(
      'NEEDS_WHOLE_CHAIN',
      `a ${mode} database does not store all blocks, so its tables cannot be computed from them. Put a backup in its place, ` +
        'import a snapshot (--import-snapshot with --resync), or run with --resync to synchronise again',
    );
  }
}

/** The tip was requested, and the database has no blocks. */
export class EmptyDatabase extends ChainDbError {
  constructor() {
    super('EMPTY_DATABASE', 'the chain database has no blocks');
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
    super('BELOW_FLOOR', `This node is a ${mode} node and stores no ${data} data below height ${floor}`);
  }
}

/** The change contradicts the stored chain. Nothing was changed. */
export class RefusedChange extends ChainDbError {
  constructor(reason: string, options?: ErrorOptions, code: ChainDbErrorCode = 'REFUSED_CHANGE') {
    super(code, reason, options);
  }
}

/** The block does not follow a stored block. Nothing was changed. */
export class WrongLink extends RefusedChange {
  constructor(reason: string) {
    super(reason, undefined, 'WRONG_LINK');
  }
}

/** A block spends a key image that block `spentAt` has spent. Nothing was changed. */
export class KeyImageSpent extends RefusedChange {
  constructor(
    readonly image: Buffer,
    /** Height of the block that spends it again. */
    readonly height: number,
    readonly spentAt: number,
  ) {
    const name = image.toString('hex');
    super(`block ${height} spends the key image ${name}, which block ${spentAt} spent`, undefined, 'KEY_IMAGE_SPENT');
  }
}

/** The disk is full or failing. The change was rolled back and the writer is closed: open the database again. */
export class WriterFailed extends ChainDbError {
  constructor(cause: unknown) {
    super('WRITER_FAILED', `the chain database can no longer be written: ${failureText(cause)}`, { cause });
  }
}

/** A snapshot cannot be imported or made. The database was not changed. The message is for the operator. */
export class SnapshotRefused extends ChainDbError {
  constructor(message: string, options?: ErrorOptions) {
    super('SNAPSHOT_REFUSED', message, options);
  }
}

/** A lite height was given for a database that is not a lite one. The database was not changed. */
export class NotALiteDatabase extends ChainDbError {
  constructor() {
    super(
      'NOT_A_LITE_DATABASE',
      '--lite can only be chosen for a new database. This one already holds a chain that was synced in full, and nothing ' +
        'here will delete it for you. Point --data-dir at an empty directory, or remove this one yourself, to build a lite ' +
        'node.',
    );
  }
}

/** A lite database was opened for writing without its lite height. The database was not changed. */
export class LiteDatabase extends ChainDbError {
  constructor(readonly liteHeight: number) {
    super(
      'LITE_DATABASE',
      `This database was built as a lite node from height ${liteHeight}, so it does not hold the block data a full node ` +
        `serves. Restart with --lite --lite-height ${liteHeight}, or delete the data directory to sync a full node from scratch.`,
    );
  }
}

/** A lite database was created with another lite height. The database was not changed. */
export class LiteHeightDiffers extends ChainDbError {
  constructor(
    readonly liteHeight: number,
    readonly requested: number,
  ) {
    super(
      'LITE_HEIGHT_DIFFERS',
      `This database was built as a lite node from height ${liteHeight}, not ${requested}. The stored height cannot be changed ` +
        `- blocks below it were never written. Restart with --lite-height ${liteHeight}, or delete the data directory to ` +
        'rebuild at a different height.',
    );
  }
}

/** The mark of a lite database is damaged or missing. The database was not changed. */
export class UnreadableLiteMark extends ChainDbError {
  constructor(options?: ErrorOptions) {
    super(
      'UNREADABLE_LITE_MARK',
      'The lite-node marker in this database is unreadable. Refusing to start rather than guess how it was built. Remove ' +
        'the data directory to rebuild.',
      options,
    );
  }
}
