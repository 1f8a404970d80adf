export type { NetworkStatus, RpcContext, RpcLimits, StorageFacts } from './context';
export { isPruned } from './context';
export { runQuery, type QueryRunner } from './queries';
export { readerThreads, ReaderPool, type ReaderPoolOptions } from './readers/pool';
export { type LocalRpcOptions, rpcCounters, type RpcServerOptions, startLocalRpc, startRpcServer } from './server';
export { SyncCache } from './sync-cache';
