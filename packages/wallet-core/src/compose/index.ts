export { type LeavingListener, listeningToSends } from './leaving';
export { serveWallet, type ServedWallet, type WalletSurroundings } from './open-parts';
export { sealSend, unsealSend } from './sealed-send';
export type { ServiceShapes, ServiceWallet } from './shapes';
export { WalletClosed } from './wallet-closed';
