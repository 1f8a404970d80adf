export * from './address';
export * from './node-client';
export * from './node-list';
export { sanitizedText } from './failure';
export * from './reading';
export type { TipStream } from './tip-stream';
export { NODE_TIMEOUTS, type NodeTimeouts, type TransportOptions } from './transport';
export type { RawChainBlock } from './packed-raw-blocks';
