import type { ChainPort } from '../ports';

const DAY_MS = 24 * 3_600_000;
/** The blocks of the last day are always served, so that peers near the tip stay synchronised. */
const RECENT_BLOCKS = 1440;

/** Limits the bytes of old blocks that peers get within 24 hours, like -maxuploadtarget of Bitcoin Core. */
export class UploadLimit {
  private sentBytes = 0;
  private startedAt = -Infinity;

  /**
   * @param maxBytes 0 for no limit
   * @param now milliseconds of a monotonic clock
   */
  constructor(
    private readonly maxBytes: number,
    private readonly chain: Pick<ChainPort, 'tip' | 'heightOf'>,
    private readonly now: () => number,
  ) {}

  /** Whether a request has main-chain blocks that are older than a day. */
  isLimited(hashes: readonly Buffer[]): boolean {
    if (this.maxBytes === 0) return false;
    const oldest = this.chain.tip().height - RECENT_BLOCKS;
    return hashes.some((hash) => (this.chain.heightOf(hash) ?? Infinity) < oldest);
  }

  /** Whether the limit of the current 24 hours is used up. A response that was started before is completed. */
  get isReached(): boolean {
    if (this.now() - this.startedAt >= DAY_MS) this.sentBytes = 0;
    return this.maxBytes > 0 && this.sentBytes >= this.maxBytes;
  }

  /** Counts the bytes of a limited response. */
  count(bytes: number): void {
    if (this.sentBytes === 0) this.startedAt = this.now();
    this.sentBytes += bytes;
  }
}
