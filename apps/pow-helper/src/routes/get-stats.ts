import type { RequestHandler } from 'express';
import { sendJson, VERSION } from '@wrkz/service-kit';
import type { PowContext } from '../context';
import type { ActiveJob } from '../queue/job-queue';

/** GET /stats: the counters since the start. Addresses, limits and keys are not among them. */
export function getStats(context: PowContext): RequestHandler {
  const { queue, options, stats, requests, startedAt, threads } = context;
  return async (request, response) => {
    const depth = await queue.depth();
    await sendJson(request, response, 200, {
      active: depth.active === undefined ? null : activeShape(depth.active),
      http: { requests: requests.requests, unauthorized: requests.count(401) },
      jobs: { ...stats.submissions, ...stats.outcomes },
      limits: { max_difficulty: options['max-difficulty'], max_wait_ms: options['max-wait-ms'] },
      queue: { capacity: options['max-queue'], tracked_jobs: depth.tracked, waiting: depth.waiting },
      started_at: startedAt,
      threads,
      uptime_seconds: Math.max(0, Math.floor(context.now() / 1000) - startedAt),
      version: VERSION,
      work: stats.work(),
    });
  };
}

function activeShape({ difficulty, inputs, outputs, hashes, runningMs }: ActiveJob): Record<string, unknown> {
  return { difficulty, hashes, inputs, outputs, running_ms: runningMs };
}
