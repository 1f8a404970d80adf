import { z } from 'zod';
import { Reply, routeDeclarer, type Guards, type Route } from '../http/routes/declaration';

/** Whether the program can serve now; further fields are shown in the answer. */
export interface Readiness {
  readonly ready: boolean;
  readonly [detail: string]: unknown;
}

/** Who watches a program asks without a key and as often as it likes. */
const OPEN: Guards = { key: false, limit: false };

const route = routeDeclarer<unknown>();

const livez = route({
  method: 'GET',
  path: '/livez',
  summary: 'Whether the process answers at all.',
  guards: OPEN,
  answer: z.object({ status: z.literal('OK') }),
  errors: [],
  handle: () => ({ status: 'OK' as const }),
});

const readyz = (readiness: () => Readiness | Promise<Readiness>) =>
  route({
    method: 'GET',
    path: '/readyz',
    summary: 'Whether the program can do its work, with details.',
    guards: OPEN,
    answer: z.looseObject({ status: z.enum(['OK', 'UNAVAILABLE']) }),
    errors: [{ status: 503, text: 'UNAVAILABLE', when: 'The program cannot do its work now.' }],
    handle: async () => {
      const { ready, ...details } = await readiness();
      return ready
        ? { status: 'OK' as const, ...details }
        : new Reply(503, { status: 'UNAVAILABLE' as const, ...details });
    },
  });

/**
 * GET /livez: 200 as long as the process answers. GET /readyz: 200 when it can do its work, else 503.
 * Body: `status` (`OK` or `UNAVAILABLE`) and the details.
 */
export function healthRoutes(readiness: () => Readiness | Promise<Readiness>): Route<unknown, never>[] {
  return [livez, readyz(readiness)];
}
