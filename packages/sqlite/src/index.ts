export { backupDatabase, removeLeftovers, type BackupOptions } from './backup';
export { integrityFinding, openConnection, type SqliteConnectionOptions, type SqliteSettings } from './connection';
export { syncPath } from './control-file';
export * from './errors';
export { failureText, isDamage, sqliteFailure, type SqliteFailure } from './failure';
export { createIdentityTable } from './identity';
export { SqliteConnection, type SqliteStatement } from './library';
export { takeWriteLock, type WriteLock } from './lock';
export type { Migration } from './migration';
export { adoptDatabase, openDatabase, SqliteDatabase, type DatabaseOptions } from './open';
export { fitsChecksum, sealPage } from './page-checksum';
export {
  childPages,
  firstBadPage,
  isFreeLeaf,
  pageBytes,
  pageOwner,
  replaceBadPage,
  type PageOwner,
  type RowRange,
} from './pages';
export { rebuiltPage, type TableRow } from './page-rebuild';
