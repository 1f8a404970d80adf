import { powHelperApi } from '@wrkz/api';
import { declareRoute, OPEN } from './route';

export const getHealth = declareRoute({
  method: 'GET',
  path: '/health',
  summary: 'Depth and capacity of the queue, for load balancers; always 200.',
  guards: OPEN,
  answer: powHelperApi.healthAnswer,
  errors: [powHelperApi.powErrors.internal],
  handle: async ({ queue, options, threads }) => {
    const { waiting } = await queue.depth();
    return { capacity: options['max-queue'], queue: waiting, status: 'OK' as const, threads };
  },
});
