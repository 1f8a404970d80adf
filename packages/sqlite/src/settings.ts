const MIB = 1024 * 1024;

/** What a program may choose about its file. The rest is the same for all and stands in `connection.ts`. */
export interface SqliteSettings {
  /** Bytes of pages held in memory by the one writing connection. */
  readonly writerCache: number;
  /** The same for each reading connection. */
  readonly readerCache: number;
  /** Milliseconds that a statement waits for another connection's lock. */
  readonly busyTimeout: number;
  /**
   * Bytes in the write-ahead log at which a commit also copies back into the file. A commit that crosses it waits until
   * about this much is written; readers are not held up.
   */
  readonly checkpointAt: number;
  /** Bytes to which a write-ahead log is cut back that outgrew its bound because of a long read. */
  readonly walLimit: number;
  readonly foreignKeys: boolean;
  /** Bytes of a page, a power of two from 512 to 65,536. For a new file: an old one keeps what it has. */
  readonly pageSize: number;
  /** What becomes of pages that a delete left empty (`PRAGMA auto_vacuum`). For a new file: an old one keeps what it has. */
  readonly autoVacuum: AutoVacuum;
}

export type AutoVacuum = 'none' | 'full' | 'incremental';

/** Suits a database of some megabytes. */
export const DEFAULT_SETTINGS: SqliteSettings = {
  writerCache: 16 * MIB,
  readerCache: 8 * MIB,
  busyTimeout: 5000,
  checkpointAt: 4 * MIB,
  walLimit: 16 * MIB,
  foreignKeys: true,
  pageSize: 4096,
  autoVacuum: 'none',
};

/** The numbers by which SQLite knows them. */
export const AUTO_VACUUM: Readonly<Record<AutoVacuum, number>> = { none: 0, full: 1, incremental: 2 };
