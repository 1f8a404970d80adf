import { daemonApi } from '@wrkz/api';
import { GUARDED, route } from '../declare';

export const peers = route({
  method: 'GET',
  path: '/peers',
  summary: 'The white and the gray list of peers.',
  guards: GUARDED,
  labels: { mode: 'Default', answeredFrom: 'node' },
  answer: daemonApi.peersAnswer,
  errors: [daemonApi.refusals.internal],
  handle: (context) => {
    const { white, gray } = context.peers.peerLists();
    return { peers: white, peers_gray: gray, status: 'OK' as const };
  },
});
