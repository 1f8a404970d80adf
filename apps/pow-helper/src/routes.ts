import { powHelperApi } from '@wrkz/api';
import { fromHex } from '@wrkz/core-types';
import {
  docsRoutes,
  type Guards,
  healthRoutes,
  type Metrics,
  metricsRoute,
  type MinuteCounter,
  openApiRoute,
  type RequestCounters,
  type Route,
  routeDeclarer,
  secondsToNextMinute,
  type ServiceDescription,
  VERSION,
} from '@wrkz/service-kit';
import type { z } from 'zod';
import type { PowHelperConfig } from './config';
import { toJobResponse, type JobRecord } from './job';
import { validatePrefix } from './prefix';
import type { ActiveJob, JobQueue } from './queue/job-queue';
import { PowRefusal, PREFIX_ERRORS } from './refusals';
import type { Stats } from './stats';

const errors = powHelperApi.powErrors;

export interface PowContext extends Pick<PowHelperConfig, 'network' | 'options' | 'threads'> {
  readonly queue: JobQueue;
  readonly stats: Stats;
  /** Requests of this instance, including refused ones. */
  readonly requests: RequestCounters;
  /** Undefined unless `--enable-metrics` is set. */
  readonly metrics: Metrics | undefined;
  /** Counts the jobs of all clients against `--max-jobs-per-minute`. */
  readonly jobCounter: MinuteCounter;
  /** Unix seconds. */
  readonly startedAt: number;
  /** Unix milliseconds. */
  readonly now: () => number;
  isStopping(): boolean;
  /** Whether jobs can be submitted now. */
  isReady(): Promise<boolean>;
}

const declareRoute = routeDeclarer<PowContext>();

/** No guards, for load balancers and monitors. */
const OPEN: Guards = { key: false, limit: false };
export const KEY: Guards = { key: true, limit: false };
/** Requires the API key. Rate-limited per client address. */
const KEY_AND_LIMIT: Guards = { key: true, limit: true };

/** Head of the OpenAPI document, and the errors shared by the routes. */
export const POW_SERVICE: ServiceDescription<PowContext, never> = {
  title: 'WrkzCoin transaction proof-of-work helper',
  version: VERSION,
  description:
    'Computes the proof of work of transactions for wallets. A wallet submits a serialized transaction prefix and replaces ' +
    'its last 8 bytes with the nonce.',
  errorBody: powHelperApi.powErrorBody,
  routeErrors: ({ guards }) => [
    ...(guards.key ? [errors.unauthorized] : []),
    ...(guards.limit ? [errors.rateLimited] : []),
    errors.encodedBody,
    errors.bodyTooLarge,
  ],
};

const ENDPOINTS = ['POST /pow', 'GET /pow/<job_id>', 'DELETE /pow/<job_id>', 'GET /stats', 'GET /health'];

const getRoot = declareRoute({
  method: 'GET',
  path: '/',
  summary: 'Name, version and endpoints of the service.',
  guards: KEY,
  response: powHelperApi.rootResponse,
  errors: [],
  handle: () => ({ endpoints: ENDPOINTS, name: 'wrkz-txpow-server' as const, version: VERSION }),
});

const getHealth = declareRoute({
  method: 'GET',
  path: '/health',
  summary: 'Length and capacity of the queue, for load balancers; always 200.',
  guards: OPEN,
  response: powHelperApi.healthResponse,
  errors: [errors.internal],
  handle: async ({ queue, options, threads }) => {
    const { waiting } = await queue.depth();
    return { capacity: options['max-queue'], queue: waiting, status: 'OK' as const, threads };
  },
});

const getStats = declareRoute({
  method: 'GET',
  path: '/stats',
  summary: 'Counters of this instance since its start, without client addresses and keys.',
  guards: KEY_AND_LIMIT,
  response: powHelperApi.statsResponse,
  errors: [errors.internal],
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

const postPow = declareRoute({
  method: 'POST',
  path: '/pow',
  summary: 'Submits a serialized transaction prefix, and waits up to `wait_ms` for its nonce.',
  guards: KEY_AND_LIMIT,
  query: powHelperApi.waitQuery,
  body: powHelperApi.submission,
  response: powHelperApi.jobResponse,
  invalid: { prefix: errors.notHex },
  errors: [
    errors.badJson,
    errors.noPrefix,
    errors.notHex,
    errors.shuttingDown,
    // The decoder already rejects every other encoding.
    ...PREFIX_ERRORS.filter((name) => name !== 'notCanonical').map((name) => errors[name]),
    errors.tooDifficult,
    errors.globalLimit,
    errors.queueFull,
    errors.queueAway,
    errors.internal,
  ],
  handle: async (context, { body, query, gone }) => {
    const prefix = fromHex(body.prefix);
    if (prefix === undefined) throw new PowRefusal('notHex');
    const id = await submit(context, prefix, body.height, gone);
    cancelWhenGone(context, id, gone);
    return respondWhenEnded(context, id, body.wait_ms ?? queryWait(query), gone);
  },
});

const getPow = declareRoute({
  method: 'GET',
  path: '/pow/{id}',
  summary: 'Returns a job, after up to `wait_ms` if it has not ended.',
  guards: KEY_AND_LIMIT,
  params: powHelperApi.jobParams,
  query: powHelperApi.waitQuery,
  response: powHelperApi.jobResponse,
  errors: [errors.unknownJob, errors.queueAway, errors.internal],
  handle: (context, { path, query, gone }) => respondWhenEnded(context, path.id, queryWait(query), gone),
});

const deletePow = declareRoute({
  method: 'DELETE',
  path: '/pow/{id}',
  summary: 'Cancels a queued or running job; a job that has ended is returned.',
  guards: KEY_AND_LIMIT,
  params: powHelperApi.jobParams,
  response: powHelperApi.cancelResponse,
  errors: [errors.unknownJob, errors.queueAway, errors.internal],
  handle: async (context, { path }) => {
    const found = await context.queue.cancel(path.id);
    if (found === undefined) throw new PowRefusal('unknownJob');
    return found.cancelled ? { job_id: path.id, status: 'cancelled' as const } : respond(context, found.job);
  },
});

type JobResponse = z.output<typeof powHelperApi.jobResponse>;

/** `wait_ms` of the query, in milliseconds. */
function queryWait({ wait_ms: text }: z.output<typeof powHelperApi.waitQuery>): number {
  return Number(text ?? 0);
}

/**
 * Waits until the job has ended, the wait time (at most `--max-wait-ms`) has elapsed, or the client has disconnected. The job
 * continues after a disconnect, and its result is stored.
 */
async function respondWhenEnded(
  context: PowContext,
  id: string,
  waitMs: number,
  gone: AbortSignal,
): Promise<JobResponse> {
  const { queue, options } = context;
  const isWaiting = waitMs > 0 && !context.isStopping();
  const job = await (isWaiting ? queue.wait(id, Math.min(waitMs, options['max-wait-ms']), gone) : queue.get(id));
  if (job === undefined) throw new PowRefusal('unknownJob');
  return respond(context, job);
}

/** Builds the response. Reads the number of queued jobs only for a queued job. */
async function respond({ queue }: PowContext, job: JobRecord): Promise<JobResponse> {
  const queued = job.state === 'queued' ? (await queue.depth()).waiting : 0;
  return toJobResponse(job, queued);
}

/** Cancels the job of a client that disconnects before the response, because it has no job id to poll with. */
function cancelWhenGone({ queue }: PowContext, id: string, gone: AbortSignal): void {
  // While Redis is unreachable the job is not cancelled. It is abandoned after the poll timeout.
  const cancel = (): void => void queue.cancel(id).catch(() => undefined);
  if (gone.aborted) cancel();
  else gone.addEventListener('abort', cancel, { once: true });
}

async function submit(
  context: PowContext,
  prefix: Buffer,
  height: number | undefined,
  gone: AbortSignal,
): Promise<string> {
  const { options, network, queue, stats } = context;
  if (context.isStopping()) throw new PowRefusal('shuttingDown');
  stats.count('received');
  const spec = validatePrefix(prefix, { network, height, maxDifficulty: BigInt(options['max-difficulty']) });
  await countJob(context);
  gone.throwIfAborted();
  const job = await queue.submit(spec);
  if (job === undefined) throw new PowRefusal('queueFull', { retryAfterSeconds: 1 });
  stats.count('accepted');
  return job.id;
}

/** Counts a valid submission, even if the queue is full. */
async function countJob({ options, jobCounter, now }: PowContext): Promise<void> {
  const perMinute = options['max-jobs-per-minute'];
  if (perMinute === 0 || (await jobCounter.hit('all')) <= perMinute) return;
  throw new PowRefusal('globalLimit', { retryAfterSeconds: secondsToNextMinute(now()) });
}

export type PowRoute = Route<PowContext, never>;

export function powRoutes({ metrics, isReady }: Pick<PowContext, 'isReady' | 'metrics'>): readonly PowRoute[] {
  const routes: PowRoute[] = [
    getRoot,
    getHealth,
    getStats,
    postPow,
    getPow,
    deletePow,
    ...healthRoutes(async () => ({ ready: await isReady() })),
    ...(metrics === undefined ? [] : [metricsRoute(metrics, KEY)]),
  ];
  routes.push(openApiRoute(POW_SERVICE, () => routes, { guards: KEY_AND_LIMIT }));
  routes.push(...docsRoutes(POW_SERVICE, { routes: () => routes }));
  return routes;
}
