import { type FoundNonce, searchNonce } from '@wrkz/crypto';
import type { HashRate } from './hash-rate';
import type { MiningWork } from './work';

const LAST_NONCE = 0xffff_ffffn;

export interface HuntParts {
  readonly threads: number;
  readonly rate: HashRate;
  /** Hears of each nonce that was found; the search goes on meanwhile where others count, too. */
  readonly onFound: (work: MiningWork, found: FoundNonce) => void;
  /** Hears of what should not happen: work that cannot be searched. */
  readonly onFailure: (error: unknown) => void;
}

/** Searches nonces for whatever work is the latest, on all its threads. */
export class NonceHunt {
  private ending = new AbortController();
  private running: Promise<void> = Promise.resolve();
  private work: MiningWork | undefined;

  constructor(private readonly parts: HuntParts) {}

  get present(): MiningWork | undefined {
    return this.work;
  }

  /** Drops the work in hand for this, or for nothing. */
  switchTo(work: MiningWork | undefined): void {
    this.ending.abort();
    this.work = work;
    const ending = (this.ending = new AbortController());
    // the threads of the last search end before those of the next begin
    this.running = this.running.then(() => (work === undefined ? undefined : this.hunt(work, ending.signal)));
  }

  async stop(): Promise<void> {
    this.switchTo(undefined);
    await this.running;
  }

  private async hunt(work: MiningWork, signal: AbortSignal): Promise<void> {
    let next = 0n;
    try {
      while (!signal.aborted && next <= LAST_NONCE) {
        const found = await this.search(work, next, signal);
        if (found === null) return;
        this.parts.onFound(work, found);
        if (!work.manyNonces) return;
        // Threads look at neighbouring nonces, so those next to this one may have been passed over; there are enough.
        next = found.nonce + 1n;
      }
    } catch (error) {
      if (!signal.aborted) this.parts.onFailure(error);
    }
  }

  private async search(work: MiningWork, startNonce: bigint, signal: AbortSignal): Promise<FoundNonce | null> {
    const { threads, rate } = this.parts;
    let counted = 0n;
    const count = (hashes: bigint): void => {
      rate.add(hashes - counted);
      counted = hashes;
    };
    const { algorithm, data, nonceOffset, difficulty } = work;
    const found = await searchNonce({
      algorithm,
      data,
      nonceOffset,
      nonceSize: 4,
      difficulty,
      startNonce,
      threads,
      signal,
      onProgress: count,
    });
    if (found !== null) count(found.hashes);
    return found;
  }
}
