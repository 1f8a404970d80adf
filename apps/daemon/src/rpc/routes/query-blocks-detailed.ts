import { daemonApi } from '@wrkz/api';
import { FinishedJson } from '@wrkz/service-kit';
import { GUARDED, route } from '../declare';
import { blockRangeOf, queryBlocksErrors, queryBlocksInvalid } from './query-blocks';

/** The most blocks of an answer, and what 0 means. */
const MOST_BLOCKS = 10_000;
/** With one block an answer would hold nothing but the one that the caller knows. */
const FEWEST_BLOCKS = 2;

export const queryBlocksDetailed = route({
  method: 'POST',
  path: '/queryblocksdetailed',
  summary: 'Blocks from the last known one on: ids up to a day, then blocks with all that can be said of them.',
  guards: GUARDED,
  labels: { mode: 'AllMethodsEnabled', answeredFrom: 'chain' },
  body: daemonApi.queryBlocksDetailedRequest,
  answer: daemonApi.queryBlocksDetailedAnswer,
  errors: queryBlocksErrors,
  invalid: queryBlocksInvalid,
  handle: async ({ queries }, request) => {
    const { blockCount: asked } = request.body;
    const blockCount = asked === 0 ? MOST_BLOCKS : Math.min(MOST_BLOCKS, Math.max(FEWEST_BLOCKS, asked));
    const query = { ...blockRangeOf(request.body), blockCount };
    return new FinishedJson(await queries.run('queryBlocksDetailed', query, request));
  },
});
