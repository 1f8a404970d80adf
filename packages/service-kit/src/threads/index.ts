export * from './fair-queue';
export {
  type CarriedError,
  carriedError,
  type ErrorRegistry,
  pack,
  type Packed,
  type ThreadShape,
  transferList,
  unpack,
} from './protocol';
export * from './serve-thread';
export { ThreadPool, type ThreadPoolOptions } from './thread-pool';
export { type CallOptions, WorkerThread, type WorkerThreadOptions } from './worker-thread';
