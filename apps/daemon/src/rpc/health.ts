import { healthRoutes, Reply } from '@wrkz/service-kit';
import { z } from 'zod';
import { type DaemonRoute, GUARDED, route } from './declare';
import type { RpcContext } from './ports';
import { readOrNothing } from './readable';

/** The state that health checks tell; `undefined` while the chain cannot be read. */
function state(context: RpcContext) {
  const { peers } = context;
  const height = readOrNothing(() => context.reader.tip().height + 1);
  if (height === undefined) return undefined;
  const { incoming, outgoing } = peers.connections();
  return {
    synced: peers.isSynchronized(),
    height,
    network_height: Math.max(1, peers.networkHeight()),
    peers: incoming + outgoing,
  };
}

/** Under the name and with the members that the network's other nodes have. */
const health = route({
  method: 'GET',
  path: '/health',
  summary: 'Whether the node is synchronized, with its height, the height that its peers tell, and how many they are.',
  guards: GUARDED,
  labels: { mode: 'Default', answeredFrom: 'chain and node' },
  answer: z.object({
    status: z.enum(['OK', 'SYNCING', 'BUSY']),
    synced: z.boolean(),
    height: z.number().optional(),
    network_height: z.number().optional(),
    peers: z.number().optional(),
  }),
  errors: [
    { status: 503, text: 'SYNCING', when: 'The node is not synchronized, or its chain cannot be read now (BUSY).' },
  ],
  handle: (context) => {
    const now = state(context);
    if (now === undefined) return new Reply(503, { status: 'BUSY' as const, synced: false });
    return now.synced ? { status: 'OK' as const, ...now } : new Reply(503, { status: 'SYNCING' as const, ...now });
  },
});

/** `/health` behind the guards; `/livez` and `/readyz` for who watches the process, without. */
export function nodeHealthRoutes(context: RpcContext): readonly DaemonRoute[] {
  const readiness = () => {
    const now = state(context);
    const paused = context.paused?.();
    const why = context.damaged?.() === undefined ? paused && 'no room on the disk' : 'the database is damaged';
    const isStale = context.peers.isTipStale?.() === true;
    const ready = now?.synced === true && why === undefined && !isStale;
    const reasons = { ...(why !== undefined && { paused: why }), ...(isStale && { stale_tip: true }) };
    return { ready, synced: false, ...now, ...reasons };
  };
  return [health, ...healthRoutes(readiness)];
}
