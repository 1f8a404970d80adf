export { RPC_DEFAULTS, createRpcApp, rpcCounters, startRpcServer, type RpcServerOptions } from './server';
export { type LocalRpcOptions, startLocalRpc } from './local-server';
export { readerThreads, ReaderPool, type ReaderPoolOptions } from './readers/pool';
export { runQuery, type QueryRunner } from './queries';
export type { MiningPort, NetworkStatus, PoolStatus, RpcContext, RpcLimits } from './ports';
export { SyncCache } from './sync-cache';
export { isPruned, type StorageFacts } from './storage-facts';
