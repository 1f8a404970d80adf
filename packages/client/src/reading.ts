/** The parser of sync responses without the HTTP client, for the parser thread. */
export { NodeFailure, type NodeFailureFacts, type NodeFailureKind } from './failure';
export { PackedBlock, readBinaryResponse, type ScanColumns } from './packed-block';
export { MAX_SYNC_BYTES, readSyncResponse } from './sync-response';
export * from './sync-model';
