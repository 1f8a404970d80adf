import { powHelperApi } from '@wrkz/api';
import { VERSION } from '@wrkz/service-kit';
import type { ActiveJob } from '../queue/job-queue';
import { declareRoute, KEY_AND_LIMIT } from './route';

export const getStats = declareRoute({
  method: 'GET',
  path: '/stats',
  summary: 'What this instance has counted since its start. Addresses, limits of clients and keys are not shown.',
  guards: KEY_AND_LIMIT,
  answer: powHelperApi.statsAnswer,
  errors: [powHelperApi.powErrors.internal],
  handle: async ({ queue, options, stats, requests, startedAt, threads, now }) => {
    const { active, tracked, waiting } = await queue.depth();
    return {
      active: active === undefined ? null : runningJob(active),
      http: { requests: requests.requests, unauthorized: requests.count(401) },
      jobs: { ...stats.submissions, ...stats.outcomes },
      limits: { max_difficulty: options['max-difficulty'], max_wait_ms: options['max-wait-ms'] },
      queue: { capacity: options['max-queue'], tracked_jobs: tracked, waiting },
      started_at: startedAt,
      threads,
      uptime_seconds: Math.max(0, Math.floor(now() / 1000) - startedAt),
      version: VERSION,
      work: stats.work(),
    };
  },
});

function runningJob({ difficulty, inputs, outputs, hashes, runningMs }: ActiveJob) {
  return { difficulty, hashes, inputs, outputs, running_ms: runningMs };
}
