export { readWalletApiConfig, type WalletApiConfig } from './config/config';
export { WALLET_API_OPTIONS } from './config/options';
export { WALLET_ROUTES } from './routes';
export { WalletApi, type WalletApiOverrides } from './wallet-api';
