export { isAcceptedSnapshot } from './accepted';
export { SnapshotRefused } from './errors';
export { exportSnapshot, type ExportProgress, type SnapshotExportOptions } from './export';
export { readSnapshotHeader, totalRecords, type SnapshotHeader, SNAPSHOT_VERSION } from './header';
export { importSnapshot, type ImportPhase, type SnapshotImportOptions } from './import';
