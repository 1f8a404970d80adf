import type { Metrics, MinuteCounter, RequestCounters } from '@wrkz/service-kit';
import type { AnswerCache } from './answer-cache';
import type { Listing } from './listing';
import type { MarkdownRenderer } from './markdown/renderer';
import type { Site } from './pages/site';
import type { QrImages } from './qr/qr-images';

/** What the routes work with. */
export interface ProposalsContext {
  readonly listing: Listing;
  readonly answers: AnswerCache;
  readonly markdown: Pick<MarkdownRenderer, 'excerpt' | 'render'>;
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
