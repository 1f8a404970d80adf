export * from './errors';
export * from './scalars';
export * as daemonApi from './daemon';
export * as powHelperApi from './pow-helper';
export * as proposalsApi from './proposals';
export * as stratumApi from './stratum';
export * as walletApi from './wallet-api';
export * as walletRpcApi from './wallet-rpc';
