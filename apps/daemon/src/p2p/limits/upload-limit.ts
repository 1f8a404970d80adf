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

  /**
   * Counts a block that is about to be sent.
   * @returns false, and nothing counted, if the block is older than a day and the bytes of these 24 hours are used up
   */
  take(hash: Buffer, bytes: number): boolean {
    if (this.maxBytes === 0) return true;
    const height = this.chain.heightOf(hash);
    if (height === undefined || height >= this.chain.tip().height - RECENT_BLOCKS) return true;
    if (this.now() - this.startedAt >= DAY_MS) {
      this.startedAt = this.now();
      this.sentBytes = 0;
    }
    if (this.sentBytes >= this.maxBytes) return false;
    this.sentBytes += bytes;
    return true;
  }
}
