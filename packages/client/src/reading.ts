/** The parser of sync responses without the HTTP client, for the parser thread. */
export { NodeFailure, type NodeFailureFacts, type NodeFailureKind } from './failure';
export { PackedBlock, type ScanColumns } from './packed-block';
export { ColumnRoom, readPackedResponse } from './packed-response';
export { MAX_SYNC_BYTES, readSyncResponse } from './sync-response';
export * from './sync-model';
