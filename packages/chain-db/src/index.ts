export * from './errors';
export { adoptChainDb } from './adopt';
export { backupChainDb, type ChainBackup, type ChainBackupOptions } from './backup';
export { databaseFile, type DatabaseMemory, logBytes } from './connection';
export { damageIn } from './damage';
export type { FloorHeights } from './modes/floors';
export { LiteDatabase, LiteHeightDiffers, NotALiteDatabase, UnreadableLiteMark } from './modes/lite-errors';
export type { StorageMode } from './modes/mode';
export { rulesDigest, rulesDigestSteps } from './modes/rules-digest-steps';
export type { CompactStep, PruneStep } from './modes/prune';
export { ChainDb, openChainDb, type Opening, type OpenOptions } from './open';
export { plainPaymentId, type PaymentIdUse } from './payment-ids';
export { rewriteChainDb, type RewriteOptions } from './rewrite';
export type { FetchBlocks, WantedBlock } from './repair/obtain';
export { repairChainDb, type RepairOptions, type RepairReport, type RepairStep } from './repair/repair';
export { DatabaseRemains, removablePaths, removeChainDb } from './remove';
export { type ChainPath, isPlaceOfChain } from './work-folders';
export type { AltInfo, AlternativeBlock } from './reader/alternatives';
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
export type { BlockStamp } from './rows/checksums';
export { SCHEMA_VERSION } from './schema';
export { isUnreadableNow } from './unreadable';
export { ChainWriter } from './writer/writer';
export type { RewoundBlock } from './writer/rewind';
export * from './snapshot';
export { verifyChain, type VerifyMode, type VerifyOptions, type VerifyReport } from './verify/verify';
