/** What a node's answer to a wallet says, without what asks for it: for threads that only read. */
export { NodeFailure, type NodeFailureFacts, type NodeFailureKind } from './failure';
export { MAX_SYNC_BYTES, readSyncAnswer } from './sync-answer';
export * from './sync-model';
