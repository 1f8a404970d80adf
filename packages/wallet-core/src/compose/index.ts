export { type LeavingListener, listeningToSends } from '../send/observer';
export { NodeOfSends } from '../send/node';
export { serveWallet, type ServedWallet, type WalletSurroundings } from './open-parts';
export { sealSend, unsealSend } from '../send/sealed-send';
export type { ServiceShapes, ServiceWallet } from './shapes';
export { WalletClosed } from '../errors';
