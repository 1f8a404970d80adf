import type { Route } from '../route';

/** Counts, and on purpose no `hash`: miners of the Monero line take its absence for a CryptoNote daemon. */
export const height: Route = {
  method: 'GET',
  path: '/height',
  mode: 'Default',
  handle: ({ reader, peers }) => ({
    height: reader.tip().height + 1,
    network_height: Math.max(1, peers.networkHeight()),
    status: 'OK',
  }),
};
export const getheight: Route = { ...height, path: '/getheight' };
