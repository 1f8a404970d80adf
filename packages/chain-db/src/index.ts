export * from './errors';
export { adoptChainDb, backupChainDb, type ChainBackup, type ChainBackupOptions } from './backup';
export { spentKeyImages } from './block-bytes';
export { databaseFile, type DatabaseMemory, logBytes } from './connection';
export { damageIn, isUnreadableNow } from './failures';
export type { FloorHeights, StorageMode } from './modes/floors';
export { rulesDigest, rulesDigestAt } from './modes/rules-digest';
export type { CompactStep, PruneStep } from './modes/prune';
export { ChainDb, commitCounter, openChainDb, type Opening, type OpenOptions } from './open';
export { plainPaymentId, type PaymentIdUse } from './payment-ids';
export { pageText, type PageLocation } from './block-pages';
export { blocksOfPage } from './repair/block-pages';
export type { FetchBlocks, WantedBlock } from './repair/fetch';
export { repairChainDb, type RepairOptions, type RepairReport, type RepairStep } from './repair/repair';
export { type ChainPath, collidesWithChain, DatabaseRemains, removablePaths, removeChainDb } from './remove';
export type { AltInfo, AlternativeBlock } from './alternatives';
export type { StoredOutput } from './reader/outputs';
export {
  ChainReader,
  type BlockScan,
  type RandomOutput,
  type StoredTransaction,
  type FileSpace,
  type TableSpace,
} from './reader/reader';
export type { GlobalIndexes, TransactionScan } from './reader/transactions';
export type { BlockStamp, RulesDigest } from './block-row';
export { SCHEMA_VERSION } from './schema';
export { ChainWriter } from './writer/writer';
export type { RewoundBlock } from './writer/rewind';
export { exportSnapshot, type ExportProgress, type SnapshotExportOptions } from './snapshot/export';
export {
  isAcceptedSnapshot,
  readSnapshotHeader,
  SNAPSHOT_VERSION,
  type SnapshotHeader,
  totalRecords,
} from './snapshot/header';
export { importSnapshot, type ImportPhase, type SnapshotImportOptions } from './snapshot/import';
export { verifyChain, type VerifyOptions, type VerifyReport } from './verify/verify';
