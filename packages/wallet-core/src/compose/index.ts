export { type LeavingListener, listeningToSends } from './leaving';
export { serveWallet, type ServedWallet, type WalletSurroundings } from './open-parts';
export type { ServiceShapes, ServiceWallet } from './shapes';
export { WalletClosed } from './wallet-closed';
