export { p2pDefaults, type P2pConfig } from './config';
export { P2pNode, type P2pEvents, type P2pParts } from './node';
export type { PeerInfo } from './session/session-table';
export type * from './ports';
