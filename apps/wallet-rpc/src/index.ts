export { readWalletRpcConfig, type WalletRpcConfig } from './config';
export { WALLET_RPC_OPTIONS } from './options';
export { ALL_METHODS, WALLET_METHODS } from './methods';
export { WalletRpc, type WalletRpcOverrides } from './wallet-rpc';
