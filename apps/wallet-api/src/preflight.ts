import type { IncomingMessage } from 'node:http';
import type { PreflightAnswer } from '@wrkz/service-kit';

/** OPTIONS on any path: 200; with CORS on, what pages may send. */
export function walletPreflight(
  { headers }: Pick<IncomingMessage, 'headers'>,
  origin: string | undefined,
): PreflightAnswer {
  const methods = origin === undefined ? '' : 'OPTIONS, GET, POST, PUT, DELETE';
  const name = headers['access-control-request-method'] === undefined ? 'Allow' : 'Access-Control-Allow-Methods';
  const allowed = 'Origin, X-Requested-With, Content-Type, Accept, X-API-KEY, Idempotency-Key';
  return {
    status: 200,
    headers: { [name]: methods, ...(origin === undefined ? {} : { 'Access-Control-Allow-Headers': allowed }) },
  };
}
