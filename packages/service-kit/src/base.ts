/*
 * Everything without a server: errors, files, threads, JSON. Worker threads and lower packages import this file, because
 * express, yargs, winston and prom-client take a quarter of a second of processor time to load.
 */
export * from './version';
export * from './addresses';
export * from './async';
export * from './collections';
export * from './error-text';
export * from './files';
export { collectGarbage } from './garbage';
export * from './assets';
export * from './threads/fair-queue';
export {
  type CarriedError,
  carriedError,
  type ErrorRegistry,
  pack,
  type Packed,
  type ThreadShape,
  transferList,
  unpack,
} from './threads/protocol';
export * from './threads/serve-thread';
export { ThreadPool, type ThreadPoolOptions } from './threads/thread-pool';
export { type CallOptions, WorkerThread, type WorkerThreadOptions } from './threads/worker-thread';
export { plainText } from './log/format';
export * from './http/json';
export * from './http/errors';
export * from './http/socket-path';
