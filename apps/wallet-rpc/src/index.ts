export { readWalletRpcConfig, type WalletRpcConfig } from './config/config';
export { WALLET_RPC_OPTIONS } from './config/options';
export { ALL_METHODS, WALLET_METHODS } from './methods';
export { WalletRpc, type WalletRpcOverrides } from './wallet-rpc';
