import type { Route } from '../route';

export const peers: Route = {
  method: 'GET',
  path: '/peers',
  mode: 'Default',
  handle: (context) => {
    const { white, gray } = context.peers.peerLists();
    return { peers: white, peers_gray: gray, status: 'OK' };
  },
};
