export { readWalletApiConfig, type WalletApiConfig } from './config';
export { walletErrors } from './errors';
export { WALLET_API_OPTIONS } from './options';
export { WALLET_ROUTES, walletRoutes } from './routes';
export { WALLET_SERVICE } from './routes/declare';
export { WalletApi, type WalletApiOverrides } from './wallet-api';
