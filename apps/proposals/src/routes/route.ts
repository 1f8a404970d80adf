import { routeDeclarer, type Guards } from '@wrkz/service-kit';
import type { ProposalsContext } from '../context';

/** Declares a route of the listing. */
export const declareListingRoute = routeDeclarer<ProposalsContext>();

/** For monitors, and for files that pages load: not counted. */
export const UNCOUNTED: Guards = { key: false, limit: false };
/** Counted against the limit of the client's address. */
export const COUNTED: Guards = { key: false, limit: true };

/** Cache-Control of what follows the proposals and their income. */
export const SHORT_CACHING = 'public, max-age=15';
/** Cache-Control of what never changes under its address. */
export const LONG_CACHING = 'public, max-age=86400';

export const HTML_TYPE = 'text/html; charset=utf-8';
