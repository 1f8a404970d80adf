import { daemonApi } from '@wrkz/api';
import { method } from '../declare';

export const getblockcount = method({
  name: 'getblockcount',
  summary: 'How many blocks the main chain has.',
  labels: { mode: 'Default', answeredFrom: 'chain' },
  result: daemonApi.blockCountResult,
  errors: [daemonApi.refusals.busy, daemonApi.refusals.internal],
  handle: ({ reader }) => ({ count: reader.tip().height + 1, status: 'OK' as const }),
});
