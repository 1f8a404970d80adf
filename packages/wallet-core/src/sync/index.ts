export { type SyncClock, MACHINE_CLOCK } from './clock';
export type { ScanKeys, SyncLedger, UnindexedOutput } from './ports';
export { scannedBatches, type ScannedBlock, type UnreadableBlock } from './scanner';
export type { SyncGap } from './fetch-plan';
export type { SyncStall, WalletSyncStatus } from './status';
export { Synchronizer, type SynchronizerEvents, type SynchronizerOptions } from './synchronizer';
