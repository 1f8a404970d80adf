import { proposalsApi } from '@wrkz/api';
import {
  type Guards,
  type Metrics,
  type MinuteCounter,
  type RequestCounters,
  type Route,
  routeDeclarer,
  type ServiceDescription,
  VERSION,
} from '@wrkz/service-kit';
import { isApiPath } from '../errors';
import type { Listing } from '../listing';
import type { MarkdownCache } from '../markdown';
import type { Site } from '../pages/site';
import type { QrImages } from '../qr-images';
import type { ResponseCache } from '../response-cache';

/** The dependencies of the route handlers. */
export interface ProposalsContext {
  readonly listing: Listing;
  readonly responses: ResponseCache;
  readonly markdown: MarkdownCache;
  readonly images: QrImages;
  readonly site: Site;
  /** Max new QR images per minute and client; 0 for no limit. */
  readonly imagesPerMinute: number;
  readonly imageCounter: MinuteCounter;
  readonly requests: RequestCounters;
  /** Undefined without `--enable-metrics`. */
  readonly metrics: Metrics | undefined;
  /** Unix milliseconds. */
  readonly now: () => number;
  readonly readiness: () => { readonly ready: boolean; readonly [detail: string]: unknown };
}

export type ProposalsRoute = Route<ProposalsContext, never>;

export const declareProposalsRoute = routeDeclarer<ProposalsContext>();

/** No rate limit, for monitors and page assets. */
export const UNLIMITED: Guards = { key: false, limit: false };
/** Rate-limited per client address. */
export const LIMITED: Guards = { key: false, limit: true };

/** Cache-Control of responses that change with proposals and donations. */
export const SHORT_CACHING = 'public, max-age=15';
/** Cache-Control of responses that never change. */
export const LONG_CACHING = 'public, max-age=86400';

/** Seconds since the last successful poll of the wallet. */
export const FUNDING_AGE_HEADER = 'X-Funding-Age';

const { proposalErrors } = proposalsApi;

/** Head of the OpenAPI document, and the errors shared by the routes. */
export const PROPOSALS_SERVICE: ServiceDescription<ProposalsContext, never> = {
  title: 'WrkzCoin proposal listing',
  version: VERSION,
  description:
    'Funding proposals of the community, read-only and without a key. Pages of any origin may call the routes below /api/. ' +
    'Errors of the other routes are pages with the same texts.',
  errorBody: proposalsApi.proposalErrorBody,
  errorPages: ({ path }) => !isApiPath(path),
  routeErrors: ({ guards }) => [
    ...(guards.limit ? [proposalErrors.rateLimited] : []),
    proposalErrors.encodedBody,
    proposalErrors.bodyTooLarge,
    proposalErrors.internal,
  ],
};
