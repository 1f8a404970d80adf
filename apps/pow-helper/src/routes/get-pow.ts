import { powHelperApi } from '@wrkz/api';
import { answerWithJob, queryWait } from './job-answer';
import { declareRoute, KEY_AND_LIMIT } from './route';

export const getPow = declareRoute({
  method: 'GET',
  path: '/pow/{id}',
  summary: 'A job, at once or when it has ended.',
  guards: KEY_AND_LIMIT,
  params: powHelperApi.jobParams,
  query: powHelperApi.waitQuery,
  answer: powHelperApi.jobAnswer,
  errors: [powHelperApi.powErrors.unknownJob, powHelperApi.powErrors.queueAway, powHelperApi.powErrors.internal],
  handle: (context, { path, query, gone }) => answerWithJob(context, path.id, queryWait(query), gone),
});
