export { p2pDefaults, type P2pConfig } from './config';
export type { P2pDependencies } from './context';
export { P2pNode, type P2pEvents } from './node';
export type { PeerInfo } from './session/session-table';
export type * from './ports';
