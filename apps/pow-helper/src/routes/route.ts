import { routeDeclarer, type Guards } from '@wrkz/service-kit';
import type { PowContext } from '../context';

/** Declares a route of the helper. */
export const declareRoute = routeDeclarer<PowContext>();

/** For load balancers and monitors: neither key nor limit. */
export const OPEN: Guards = { key: false, limit: false };
/** Behind the key alone. */
export const KEY: Guards = { key: true, limit: false };
/** Behind the key, and counted against the limit of the client's address. */
export const KEY_AND_LIMIT: Guards = { key: true, limit: true };
