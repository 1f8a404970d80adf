import type { Metrics, MinuteCounter, RequestCounters } from '@wrkz/service-kit';
import type { AnswerCache } from './answer-cache';
import type { Listing } from './listing';
import type { MarkdownCache } from './markdown';
import type { Site } from './pages/site';
import type { QrImages } from './qr-images';

/** What the routes work with. */
export interface ProposalsContext {
  readonly listing: Listing;
  readonly answers: AnswerCache;
  readonly markdown: MarkdownCache;
  readonly images: QrImages;
  readonly site: Site;
  /** Counts new images by client, against this many a minute; 0 for no limit. */
  readonly drawsPerMinute: number;
  readonly drawCounter: MinuteCounter;
  readonly requests: RequestCounters;
  /** Undefined unless `--enable-metrics` is set. */
  readonly metrics: Metrics | undefined;
  /** Unix milliseconds. */
  readonly now: () => number;
  readonly readiness: () => { readonly ready: boolean; readonly [detail: string]: unknown };
}
