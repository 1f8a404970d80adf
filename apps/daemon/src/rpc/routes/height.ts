import { daemonApi } from '@wrkz/api';
import { GUARDED, route } from '../declare';

/** Counts, and on purpose no `hash`: miners of the Monero line take its absence for a CryptoNote daemon. */
export const height = route({
  method: 'GET',
  path: '/height',
  summary: 'How many blocks this node has, and how many its peers tell.',
  guards: GUARDED,
  labels: { mode: 'Default', answeredFrom: 'chain and node' },
  answer: daemonApi.heightAnswer,
  errors: [daemonApi.refusals.busy, daemonApi.refusals.internal],
  handle: ({ reader, peers }) => ({
    height: reader.tip().height + 1,
    network_height: Math.max(1, peers.networkHeight()),
    status: 'OK' as const,
  }),
});

export const getheight = route({ ...height, path: '/getheight' });
