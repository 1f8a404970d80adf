import type { IncomingMessage } from 'node:http';
import type { Express } from 'express';
import { addHealthRoutes } from '@wrkz/service-kit';
import type { PowContext } from '../context';
import { deletePow } from './delete-pow';
import { getHealth } from './get-health';
import { getPow } from './get-pow';
import { getRoot } from './get-root';
import { getStats } from './get-stats';
import { postPow } from './post-pow';

/** A job id and nothing else; other paths below /pow are not routed. */
const JOB_PATH = /^\/pow\/([0-9a-f]{32})$/;

/** Paths that ask for the API key when there is one. */
const GUARDED = new Set(['/', '/stats', '/pow', '/metrics']);

/** Free of key and limit: health, and whatever is not routed (it answers 404). */
export function isOpen(request: IncomingMessage & { path: string }): boolean {
  return !GUARDED.has(request.path) && !JOB_PATH.test(request.path);
}

/** Only the job routes count against the limit of a client address. */
export function isRateLimited(request: IncomingMessage & { path?: string }): boolean {
  const path = request.path ?? '';
  return path === '/pow' || JOB_PATH.test(path);
}

export function addRoutes(app: Express, context: PowContext): void {
  app.get('/', getRoot());
  app.get('/health', getHealth(context));
  app.get('/stats', getStats(context));
  app.post('/pow', postPow(context));
  app.get(JOB_PATH, getPow(context));
  app.delete(JOB_PATH, deletePow(context));
  addHealthRoutes(app, async () => ({ ready: !context.isStopping() }));
  if (context.metrics !== undefined) app.get('/metrics', context.metrics.handler);
}
