export { p2pDefaults, type P2pConfig } from './config';
export { parseAddresses, parseEndpoints } from './dialer/seeds';
export { P2pNode, type P2pEvents, type P2pParts, type PeerInfo } from './node';
export type * from './ports';
