import { ChainDbError } from '../errors';

/** A lite height was given for a database that was not made as a lite one. Nothing was touched. */
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

/** A lite database was opened for writing as if it were none. Nothing was touched. */
export class LiteDatabase extends ChainDbError {
  constructor(readonly liteHeight: number) {
    super(
      'LITE_DATABASE',
      `This database was built as a lite node from height ${liteHeight}, so it does not hold the block data a full node ` +
        `serves. Restart with --lite --lite-height ${liteHeight}, or delete the data directory to sync a full node from scratch.`,
    );
  }
}

/** A lite database was made with another height. Nothing was touched. */
export class LiteHeightDiffers extends ChainDbError {
  constructor(
    readonly liteHeight: number,
    readonly asked: number,
  ) {
    super(
      'LITE_HEIGHT_DIFFERS',
      `This database was built as a lite node from height ${liteHeight}, not ${asked}. The stored height cannot be changed ` +
        `- blocks below it were never written. Restart with --lite-height ${liteHeight}, or delete the data directory to ` +
        'rebuild at a different height.',
    );
  }
}

/** The mark that says how the database was made is damaged. Nothing was touched. */
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
