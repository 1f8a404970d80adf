import type { RequestHandler } from 'express';
import { sendJson, VERSION } from '@wrkz/service-kit';

const ENDPOINTS = ['POST /pow', 'GET /pow/<job_id>', 'DELETE /pow/<job_id>', 'GET /stats', 'GET /health'];

/** GET /: what this is and what can be asked. */
export function getRoot(): RequestHandler {
  return (request, response) =>
    sendJson(request, response, 200, { endpoints: ENDPOINTS, name: 'wrkz-txpow-server', version: VERSION });
}
