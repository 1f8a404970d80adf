import { powHelperApi } from '@wrkz/api';
import { VERSION } from '@wrkz/service-kit';
import { declareRoute, KEY } from './route';

const ENDPOINTS = ['POST /pow', 'GET /pow/<job_id>', 'DELETE /pow/<job_id>', 'GET /stats', 'GET /health'];

export const getRoot = declareRoute({
  method: 'GET',
  path: '/',
  summary: 'The name and version of the service, and what it can be asked.',
  guards: KEY,
  answer: powHelperApi.rootAnswer,
  errors: [],
  handle: () => ({ endpoints: ENDPOINTS, name: 'wrkz-txpow-server' as const, version: VERSION }),
});
