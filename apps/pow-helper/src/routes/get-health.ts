import type { RequestHandler } from 'express';
import { sendJson } from '@wrkz/service-kit';
import type { PowContext } from '../context';

/** GET /health: always 200; load balancers go by queue and capacity. */
export function getHealth({ queue, options, threads }: PowContext): RequestHandler {
  return async (request, response) => {
    const { waiting } = await queue.depth();
    const answer = { capacity: options['max-queue'], queue: waiting, status: 'OK', threads };
    await sendJson(request, response, 200, answer);
  };
}
