import { POW_ERRORS, powJobAnswer, powJobParams, powWaitQuery } from '@wrkz/api';
import { answerWithJob, queryWait } from './job-answer';
import { declareRoute, KEY_AND_LIMIT } from './route';

export const getPow = declareRoute({
  method: 'GET',
  path: '/pow/{id}',
  summary: 'A job, at once or when it has ended.',
  guards: KEY_AND_LIMIT,
  params: powJobParams,
  query: powWaitQuery,
  answer: powJobAnswer,
  errors: [POW_ERRORS.unknownJob],
  handle: (context, { path, query, gone }) => answerWithJob(context, path.id, queryWait(context, query), gone),
});
