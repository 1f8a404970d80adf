export * from './call-queue';
export * from './errors';
export * from './fair-queue';
export * from './packing';
export type { ThreadShape } from './protocol';
export * from './serve-thread';
export { ThreadPool, type ThreadPoolOptions } from './thread-pool';
export { WorkerThread, type WorkerThreadOptions, type CallOptions } from './worker-thread';
