export { RPC_DEFAULTS, createRpcApp, startRpcServer, type RpcServerOptions } from './server';
export { readerThreads, ReaderPool, type ReaderPoolOptions } from './readers/pool';
export { runQuery, type QueryRunner } from './queries';
export type { MiningPort, NetworkStatus, PoolStatus, RpcContext, RpcLimits } from './ports';
