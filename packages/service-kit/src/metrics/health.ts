import type { IRouter } from 'express';
import { sendJson } from '../http/send';

/** Whether the program can serve now; further fields are shown in the answer. */
export interface Readiness {
  readonly ready: boolean;
  readonly [detail: string]: unknown;
}

/**
 * GET /livez: 200 as long as the process answers. GET /readyz: 200 when it can do its work, else 503.
 * Body: `status` (`OK` or `UNAVAILABLE`) and the details.
 */
export function addHealthRoutes(app: IRouter, readiness: () => Readiness | Promise<Readiness>): void {
  app.get('/livez', (request, response) => sendJson(request, response, 200, { status: 'OK' }));
  app.get('/readyz', async (request, response) => {
    const { ready, ...details } = await readiness();
    await sendJson(request, response, ready ? 200 : 503, { status: ready ? 'OK' : 'UNAVAILABLE', ...details });
  });
}
