export * from './address';
export { NodeFailure, type NodeFailureFacts, type NodeFailureKind } from './failure';
export * from './node-client';
export * from './node-list';
export { MAX_SYNC_BYTES, readSyncAnswer } from './sync-answer';
export * from './sync-model';
export type { TipStream } from './tip-stream';
export { NODE_TIMEOUTS, type NodeTimeouts, type TransportOptions } from './transport';
