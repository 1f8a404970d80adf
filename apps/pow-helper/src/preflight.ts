import type { PreflightAnswer } from '@wrkz/service-kit';

/** OPTIONS on any path: 204, with the CORS headers only while CORS is on. */
export function preflight(_request: unknown, origin: string | undefined): PreflightAnswer {
  if (origin === undefined) return { status: 204, headers: {} };
  return {
    status: 204,
    headers: {
      'Access-Control-Allow-Methods': 'GET, POST, DELETE, OPTIONS',
      'Access-Control-Allow-Headers': 'Origin, X-Requested-With, Content-Type, Accept, X-API-KEY',
      'Access-Control-Max-Age': '600',
    },
  };
}
