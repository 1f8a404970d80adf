import { daemonApi } from '@wrkz/api';
import { GUARDED, route } from '../declare';

/**
 * A node of this suite charges nothing; old clients still ask. This is the whole contract
 * (docs/protocol/rpc.md#node-fee).
 */
export const fee = route({
  method: 'GET',
  path: '/fee',
  summary: 'What this node charges for its service: nothing.',
  guards: GUARDED,
  labels: { mode: 'Default', answeredFrom: 'chain' },
  answer: daemonApi.feeAnswer,
  errors: [],
  handle: () => ({ address: '', amount: 0n, status: 'OK' as const }),
});
